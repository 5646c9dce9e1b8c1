package main

import (
	"fmt"
	"net/url"
	"strings"
)

// changeHooks creates, changes or deletes a configuration of webhooks.
func (w *world) changeHooks(kind string) {
	i := w.random.IntN(2)
	w.rewrite(strings.ToLower(kind)+"webhookconfigurations", fmt.Sprintf("h%d", i), object{"apiVersion": admissionGroup, "kind": kind + "WebhookConfiguration",
		"webhooks": w.list(1, 2, func(j int) any { return w.webhook(kind, i+j == 0, fmt.Sprintf("w%d%d.example.com", j, i)) })})
}

// webhook returns a webhook. Validating ones are called at the same time, so that only one of them may refuse.
func (w *world) webhook(kind string, refuses bool, name string) object {
	path := "m/" + w.mutatingHook()
	if kind == "Validating" {
		path = "v/" + one(w, "allow", "allow-warn", "text-type", "audit", "allow-status")
		if refuses && w.in(2) {
			path = "v/" + one(w, "deny", "deny-message", "deny-code", "deny-invalid", "deny-code-only", "deny-reason", "deny-warn", "deny-status-full", "500", "404", "close", "garbage", "empty", "no-response", "wrong-uid", "v1beta1", "redirect", "slow", "patch")
		}
	}
	out := object{"name": name, "admissionReviewVersions": []any{"v1"}, "clientConfig": object{"url": "$HOOK$/" + path, "caBundle": "$CA$"},
		"sideEffects": one(w, "None", "None", "NoneOnDryRun"), "rules": w.list(1, 2, func(int) any { return w.hookRule() })}
	if strings.HasSuffix(path, "slow") {
		out["timeoutSeconds"] = 1
	}
	if kind == "Mutating" {
		w.some(out, 2, "reinvocationPolicy", "IfNeeded")
	}
	w.some(out, 3, "failurePolicy", one(w, "Ignore", "Fail"))
	w.some(out, 3, "matchPolicy", one(w, "Exact", "Equivalent"))
	w.some(out, 3, "objectSelector", one(w, object{"matchLabels": object{"l": one(w, "x", "y")}}, object{"matchExpressions": []any{object{"key": one(w, "l", "mutated"), "operator": one(w, "Exists", "DoesNotExist")}}}))
	if w.in(3) {
		out["matchConditions"] = w.list(1, 2, func(i int) any { return object{"name": fmt.Sprintf("m%d", i), "expression": w.condition(false, 0)} })
	}
	if w.in(20) {
		out["clientConfig"] = object{"service": object{"name": "absent", "namespace": w.name}, "caBundle": "$CA$"}
	}
	selector := object{"kubernetes.io/metadata.name": w.name}
	w.some(selector, 4, "env", one(w, "prod", "test"))
	out["namespaceSelector"] = object{"matchLabels": selector}
	return out
}

// hookRule returns a rule. The case has its own group, and namespaces are selected by their own labels.
func (w *world) hookRule() object {
	rule := func(group, version string, resources ...string) object {
		return object{"apiGroups": []any{group}, "apiVersions": []any{version}, "resources": []any{one(w, resources...)}}
	}
	out := one(w,
		rule("", "v1", "configmaps", "configmaps", "*"),
		rule("", "v1", "pods", "pods/*", "*/*", "pods/status", "pods/eviction", "pods/binding", "bindings", "pods/exec", "pods/ephemeralcontainers", "pods/resize"),
		rule("", "v1", "namespaces", "namespaces/*", "serviceaccounts/*", "serviceaccounts/token"),
		rule("apps", "v1", "deployments", "deployments/*", "deployments/scale", "*/scale"),
		rule("autoscaling", one(w, "v1", "v2"), "horizontalpodautoscalers"),
		rule(w.group(), one(w, "v1", "v1", "v1beta1", "*"), "boxes", "boxes/*", "boxes/status", "boxes/scale", "*", "*/*"),
		rule("coordination.k8s.io", "v1", "leases"),
		rule("authorization.k8s.io", "v1", "localsubjectaccessreviews"),
		rule("*", "*", "*", "*/*"))
	out["operations"] = one(w, []any{"*"}, []any{"*"}, []any{"CREATE"}, []any{"UPDATE"}, []any{"CREATE", "UPDATE"}, []any{"DELETE"}, []any{"CONNECT", "CREATE"})
	w.some(out, 6, "scope", one(w, "Namespaced", "Cluster", "*"))
	return w.confine(out)
}

// confine restricts a rule for all resources to those in namespaces, because other cases have objects without a namespace.
func (w *world) confine(rule object) object {
	if groups, _ := rule["apiGroups"].([]any); w.confined && len(groups) > 0 && groups[0] == "*" {
		rule["scope"] = "Namespaced"
	}
	return rule
}

// mutatingHook returns the path of a mutating webhook.
func (w *world) mutatingHook() string {
	set := func(path, value string) string { return "set/" + path + "/" + url.PathEscape(value) }
	switch w.random.IntN(3) {
	case 0:
		return one(w, "noop", "patch", "label/mutated", "label/l", "annotate/mutated", "op", "data/added/v", "data/a/x", "append/s", "append-once/s", "patch-empty", "allow-warn")
	case 1:
		owner := `{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"00000000-0000-4000-8000-000000000001"}`
		return one(w, set("data", `{"a":"x"}`), set("data/a", "7"), set("spec/replicas", "4"), set("spec/color", `"red"`), set("spec/colour", `"red"`), set("spec/unknown", `"u"`), set("spec/note", `"hooked"`), set("metadata/ownerReferences", "["+owner+"]"),
			set("metadata/ownerReferences", "["+owner+","+owner+"]"), set("metadata/finalizers", `["example.com/f"]`), set("metadata/labels", `{"l":"y"}`), set("metadata/labels", "null"), set("metadata/labels", `{"l":"not valid!"}`), set("metadata/uid", `"00000000-0000-4000-8000-000000000002"`),
			set("metadata/namespace", `"default"`), set("metadata/generateName", `"other-"`), set("metadata/deletionTimestamp", `"2020-01-01T00:00:00Z"`), set("metadata/generation", "7"), set("metadata/resourceVersion", `"1"`), set("metadata/creationTimestamp", "null"),
			set("kind", `"Secret"`), set("apiVersion", `"v2"`), set("status", `{"phase":"Failed","replicas":3}`), set("spec/serviceAccountName", `"robot"`), set("spec/template/metadata/labels/t", `"v"`), set("target/name", `"other"`), set("spec/containers/0/image", `"hooked"`), set("x", "1"))
	}
	return one(w, "remove/data", "remove/metadata/labels", "remove/metadata/name", "remove/spec", "remove/metadata/finalizers", "rename", "bad-patch", "patch-missing-path", "patch-garbage", "patch-no-type", "patch-merge-type", "type-no-patch", "patch-deny",
		"strip-managers", "drop-managers", "own-managers", "deny", "deny-message", "deny-code", "deny-warn", "500", "close", "empty", "no-response", "wrong-uid", "slow", "remove/metadata", "remove/apiVersion")
}
