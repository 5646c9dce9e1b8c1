package main

import (
	"fmt"
	"net/http"
	"strings"
)

const admissionGroup = "admissionregistration.k8s.io/v1"

// policies generates a case for admission policies: they apply to the case's namespace only.
func (w *world) policies() {
	w.keepParameters()
	w.send(http.MethodPost, "/api/v1/namespaces", "", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": w.name, "labels": object{"env": one(w, "prod", "test")}}})
	for i := range w.random.IntN(3) {
		data := object{"max": one(w, "3", "5", "x")}
		w.some(data, 2, "a", "v")
		w.send(http.MethodPost, w.path("v1", "configmaps"), "", object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": fmt.Sprintf("p%d", i), "labels": object{"p": one(w, "a", "b")}}, "data": data})
	}
	w.account("default")
	mutating := w.in(2)
	if mutating {
		w.policy("Mutating", 0)
		if w.in(3) {
			w.policy("Mutating", 1)
		}
	}
	if !mutating || w.in(3) {
		w.policy("Validating", 0)
	}
	w.settle(2200)
	for range 20 {
		w.governed()
	}
}

// keepParameters creates policies that apply to nothing: kube-apiserver no longer observes the objects of
// a built-in kind of parameters once the last policy with this kind has been deleted.
func (w *world) keepParameters() {
	for _, kind := range []string{"ConfigMap", "Namespace"} {
		w.keepParameter("v1", kind)
	}
}

func (w *world) keepParameter(version, kind string) {
	name := "keep-" + strings.ToLower(kind)
	rule := object{"apiGroups": []any{"example.com"}, "apiVersions": []any{"v1"}, "operations": []any{"CREATE"}, "resources": []any{"nothing"}}
	w.send(http.MethodPost, prefix(admissionGroup)+"/validatingadmissionpolicies", "", object{"apiVersion": admissionGroup, "kind": "ValidatingAdmissionPolicy", "metadata": object{"name": name},
		"spec": object{"paramKind": object{"apiVersion": version, "kind": kind}, "matchConstraints": object{"resourceRules": []any{rule}}, "validations": []any{object{"expression": "true"}}}})
	w.send(http.MethodPost, prefix(admissionGroup)+"/validatingadmissionpolicybindings", "", object{"apiVersion": admissionGroup, "kind": "ValidatingAdmissionPolicyBinding", "metadata": object{"name": name},
		"spec": object{"policyName": name, "validationActions": []any{"Deny"}, "paramRef": object{"name": "p", "parameterNotFoundAction": "Allow"}}})
}

// policy creates a policy and one or two bindings.
func (w *world) policy(kind string, i int) {
	name := fmt.Sprintf("%c%d", kind[0]+'a'-'A', i)
	resource := strings.ToLower(kind)
	spec := w.policySpec(kind)
	w.global(admissionGroup, resource+"admissionpolicies", name, object{"apiVersion": admissionGroup, "kind": kind + "AdmissionPolicy", "spec": spec})
	for j := range 1 + w.random.IntN(5)/4 {
		w.global(admissionGroup, resource+"admissionpolicybindings", fmt.Sprintf("b%d-%s", j, name),
			object{"apiVersion": admissionGroup, "kind": kind + "AdmissionPolicyBinding", "spec": w.bindingSpec(kind, name, spec["paramKind"] != nil)})
	}
}

// policySpec returns the spec of a policy.
func (w *world) policySpec(kind string) object {
	spec := object{"matchConstraints": w.matches(true)}
	w.some(spec, 2, "failurePolicy", one(w, "Fail", "Ignore"))
	if w.in(2) {
		spec["paramKind"] = one(w, object{"apiVersion": "v1", "kind": "ConfigMap"}, object{"apiVersion": "v1", "kind": "ConfigMap"}, object{"apiVersion": "v1", "kind": "ConfigMap"}, object{"apiVersion": "v1", "kind": "Namespace"}, object{"apiVersion": "example.com/v1", "kind": "Absent"})
	}
	if w.parameterKinds != nil && w.in(2) {
		spec["paramKind"] = one(w, w.parameterKinds...)
	}
	params := spec["paramKind"] != nil
	if w.in(2) {
		spec["variables"] = w.list(1, 2, func(i int) any {
			return object{"name": fmt.Sprintf("v%d", i), "expression": one(w, w.condition(params, i), "object.metadata.name", "object.?data.a.orValue('none')", "[1, 2].map(x, x * 2)", "has(object.data) ? object.data : {}")}
		})
	}
	variables := 0
	if list, ok := spec["variables"].([]any); ok {
		variables = len(list)
	}
	if w.in(3) {
		spec["matchConditions"] = w.list(1, 2, func(i int) any {
			return object{"name": fmt.Sprintf("m%d", i), "expression": w.condition(params, -1)}
		})
	}
	if kind == "Validating" {
		spec["validations"] = w.list(1, 3, func(int) any { return w.validation(params, variables) })
		w.some(spec, 3, "auditAnnotations", []any{object{"key": "k", "valueExpression": one(w, "'x'", "object.data.a", "string(1/0)", "null", "params == null ? 'none' : params.metadata.name")}})
	} else {
		spec["reinvocationPolicy"] = one(w, "Never", "IfNeeded")
		spec["mutations"] = w.list(1, 2, func(int) any { return w.mutation(params, variables) })
	}
	return spec
}

// bindingSpec returns the spec of a binding of a policy.
func (w *world) bindingSpec(kind, policy string, params bool) object {
	binding := object{"policyName": policy + "-" + w.name}
	if kind == "Validating" {
		binding["validationActions"] = one(w, []any{"Deny"}, []any{"Deny"}, []any{"Warn"}, []any{"Audit"}, []any{"Warn", "Audit"}, []any{"Deny", "Audit"})
	}
	if params && !w.in(8) {
		ref := object{"parameterNotFoundAction": one(w, "Allow", "Deny")}
		if w.in(3) {
			ref["selector"] = object{"matchLabels": object{"p": one(w, "a", "b", "c")}}
		} else {
			ref["name"] = one(w, "p0", "p0", "p1", "absent")
		}
		w.some(ref, 3, "namespace", one(w, w.name, w.name, "absent"))
		binding["paramRef"] = ref
	}
	w.some(binding, 3, "matchResources", w.matches(false))
	return binding
}

// matches returns constraints or, for a binding, a restriction of them.
func (w *world) matches(constraints bool) object {
	rule := func(int) any {
		out := one(w,
			object{"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "resources": []any{"configmaps"}},
			object{"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "resources": []any{"configmaps", "pods"}},
			object{"apiGroups": []any{"apps"}, "apiVersions": []any{"v1"}, "resources": []any{one(w, "deployments", "deployments/*", "*", "deployments/scale")}},
			object{"apiGroups": []any{"autoscaling"}, "apiVersions": []any{one(w, "v1", "v2")}, "resources": []any{"horizontalpodautoscalers"}},
			object{"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "resources": []any{one(w, "*", "*/*", "*/scale", "pods/*")}})
		out["operations"] = one(w, []any{"*"}, []any{"CREATE"}, []any{"UPDATE"}, []any{"CREATE", "UPDATE"}, one(w, []any{"DELETE", "CREATE"}, []any{"CONNECT"}, []any{"*"}))
		w.some(out, 6, "scope", one(w, "Namespaced", "Cluster", "*"))
		w.some(out, 8, "resourceNames", []any{one(w, "p0", "c1")})
		return w.confine(out)
	}
	out := object{}
	if constraints || w.in(2) {
		out["resourceRules"] = w.list(1, 2, rule)
	}
	w.some(out, 5, "excludeResourceRules", w.list(1, 1, rule))
	w.some(out, 4, "matchPolicy", one(w, "Exact", "Equivalent"))
	w.some(out, 4, "objectSelector", one(w, object{"matchLabels": object{"l": "x"}}, object{"matchExpressions": []any{object{"key": "l", "operator": one(w, "Exists", "DoesNotExist")}}}))
	labels := object{"kubernetes.io/metadata.name": w.name}
	if constraints {
		w.some(labels, 5, "env", one(w, "prod", "test"))
	}
	out["namespaceSelector"] = object{"matchLabels": labels}
	return out
}

// condition returns an expression of type bool, which may fail.
func (w *world) condition(params bool, variables int) string {
	all := []string{
		"object.data.a != 'x'", "has(object.data) && 'a' in object.data", "object.?data.a.orValue('') != 'x'", "size(object.metadata.name) < 3",
		"request.operation == 'CREATE'", "oldObject == null || object.metadata.?labels == oldObject.metadata.?labels", "object == null || object.metadata.namespace == request.namespace",
		"namespaceObject.metadata.labels['env'] == 'prod'", "object.spec.replicas <= 3", "1 / 0 == 1", "object.nosuch == 1", "false", "true", "!has(object.metadata.labels) || object.metadata.labels.l == 'x'",
		"request.dryRun == true", "request.resource.resource == 'configmaps'", "request.kind.kind == 'ConfigMap' && request.requestKind.version == 'v1'", "request.subResource == ''", "request.name != 'c1'",
		"has(request.options.fieldManager)", "object.spec.containers.all(c, c.image.startsWith('i'))", "int(object.data.a) < 4", "object.metadata.name.matches('^[a-c]')",
		"authorizer.group('').resource('pods').namespace('default').check('get').allowed()", "quantity('1Gi').isGreaterThan(quantity('500M'))", "has(object.metadata.managedFields)",
		"object.metadata.?generation.orValue(1) == 1", "has(object.metadata.uid)", "has(object.metadata.creationTimestamp)", "oldObject.data == object.data",
	}
	if params || w.in(20) {
		all = append(all, "params != null", "object.data.a == params.data.max", "params.data.max == '3'", "int(params.data.max) > 3", "params == null || params.metadata.name == 'p0'", "has(params.data.a)", "object.?data.a.orValue('1') < params.data.max")
	}
	all = append(all, w.conditions...)
	for i := range variables {
		all = append(all, fmt.Sprintf("variables.v%d == 'a'", i), fmt.Sprintf("variables.v%d == object.metadata.name", i), fmt.Sprintf("size(variables.v%d) > 2", i))
	}
	return one(w, all...)
}

func (w *world) validation(params bool, variables int) object {
	out := object{"expression": w.condition(params, variables)}
	w.some(out, 3, "message", one(w, "no", "not allowed here"))
	w.some(out, 3, "messageExpression", one(w, "'bad ' + object.metadata.name", "string(params.data.max)", "1 / 0 == 1 ? 'a' : 'b'", "''", "'  '", "'line\\nbreak'", "object.data.a", "'op ' + request.operation", "' spaces '"))
	w.some(out, 3, "reason", one(w, "Forbidden", "Invalid", "Unauthorized", "RequestEntityTooLarge"))
	return out
}

func (w *world) mutation(params bool, variables int) object {
	if w.in(2) {
		expressions := []string{
			"Object{metadata: Object.metadata{labels: {'m': 'x'}}}", "Object{metadata: Object.metadata{annotations: {'m': object.metadata.name}}}", "Object{data: {'added': 'v', 'a': 'changed'}}",
			"Object{spec: Object.spec{replicas: 2}}", "Object{metadata: Object.metadata{labels: has(object.metadata.labels) ? {'count': string(size(object.metadata.labels))} : {'count': '0'}}}",
			"Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c0', image: 'other'}]}}", "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'side', image: 's'}]}}",
			"Object{}", "Object{metadata: Object.metadata{name: 'renamed'}}", "Object{metadata: Object.metadata{finalizers: ['example.com/f']}}", "Object{data: {'a': string(1 / 0)}}",
			"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{serviceAccountName: 'robot'}}}}", "Object{data: object.data}", "Object{nosuch: 'v'}", "Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'k', operator: 'Exists'}]}}",
			"Object{spec: Object.spec{maxReplicas: 9}}",
		}
		if params {
			expressions = append(expressions, "Object{data: {'max': params.data.max}}", "Object{metadata: Object.metadata{labels: {'p': params.metadata.name}}}")
		}
		if variables > 0 {
			expressions = append(expressions, "Object{metadata: Object.metadata{annotations: {'v': string(variables.v0)}}}")
		}
		return object{"patchType": "ApplyConfiguration", "applyConfiguration": object{"expression": one(w, expressions...)}}
	}
	expressions := []string{
		"[JSONPatch{op: 'add', path: '/metadata/labels', value: {'j': 'x'}}]", "[JSONPatch{op: 'add', path: '/metadata/labels/j', value: 'x'}]", "[JSONPatch{op: 'replace', path: '/data/a', value: 'j'}]",
		"[JSONPatch{op: 'remove', path: '/data/a'}]", "[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, JSONPatch{op: 'add', path: '/data/tested', value: 'y'}]", "[]", "has(object.data) ? [JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a.b'), value: 'y'}] : []",
		"[JSONPatch{op: 'copy', from: '/metadata/name', path: '/metadata/annotations'}]", "[JSONPatch{op: 'add', path: '/spec/tolerations/-', value: {'key': 'k', 'operator': 'Exists'}}]", "[JSONPatch{op: 'add', path: '/spec/containers/0/env', value: [Object.spec.containers.env{name: 'E', value: 'v'}]}]",
		"[JSONPatch{op: 'add', path: '/data', value: 7}]", "[JSONPatch{op: 'replace', path: '/spec/replicas', value: object.spec.replicas + 1}]", "[JSONPatch{op: 'replace', path: '/metadata/name', value: 'renamed'}]", "[JSONPatch{op: 'add', path: '/unknown', value: 'v'}]",
		"[JSONPatch{op: 'move', from: '/data/a', path: '/data/moved'}]",
	}
	if params {
		expressions = append(expressions, "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'p': params.data.max}}]")
	}
	return object{"patchType": "JSONPatch", "jsonPatch": object{"expression": one(w, expressions...)}}
}

// governed adds a write to which policies may apply.
func (w *world) governed() {
	meta := func() object {
		out := object{}
		w.some(out, 2, "labels", object{"l": one(w, "x", "y")})
		w.some(out, 10, "generateName", "generated-")
		return out
	}
	data := func() object {
		out := object{}
		w.some(out, 2, "a", one(w, "x", "v", "3", "5"))
		w.some(out, 4, "b", "w")
		return out
	}
	maps, deployments, scalers := w.made["configmaps"], w.made["deployments"], w.made["horizontalpodautoscalers"]
	switch n := w.random.IntN(20); {
	case n < 5 || len(maps) == 0:
		w.create("v1", "configmaps", object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta(), "data": data()})
	case n < 8:
		w.merge(one(w, maps...), object{"data": object{"a": one[any](w, "x", "v", nil, "4")}, "metadata": object{"labels": object{"l": one[any](w, "x", "y", nil)}}})
	case n < 9:
		path := one(w, maps...)
		w.patch(applyPatchType, path, "fieldManager=applier&force=true", object{"apiVersion": "v1", "kind": "ConfigMap", "data": data(), "metadata": meta()})
	case n < 10:
		w.send(http.MethodDelete, one(w, maps...), "", nil)
	case n < 13 || len(deployments) == 0:
		spec := object{"selector": object{"matchLabels": object{"app": "a"}}, "template": object{"metadata": object{"labels": object{"app": "a"}}, "spec": object{"containers": []any{object{"name": "c0", "image": one(w, "i", "other")}}}}}
		w.some(spec, 2, "replicas", one(w, 1, 3, 5))
		w.create("apps/v1", "deployments", object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(), "spec": spec})
	case n < 14:
		w.merge(one(w, deployments...), object{"spec": object{"replicas": one(w, 2, 4)}})
	case n < 15:
		w.merge(one(w, deployments...)+"/scale", object{"spec": object{"replicas": one(w, 2, 4)}})
	case n < 16:
		w.merge(one(w, deployments...)+"/status", object{"status": object{"replicas": 1}})
	case n < 18:
		containers := w.list(1, 2, func(i int) any { return object{"name": fmt.Sprintf("c%d", i), "image": one(w, "i", "x")} })
		w.create("v1", "pods", object{"apiVersion": "v1", "kind": "Pod", "metadata": meta(), "spec": object{"containers": containers}})
	case len(scalers) == 0 || n < 19:
		version := "autoscaling/" + one(w, "v1", "v2")
		w.create(version, "horizontalpodautoscalers", object{"apiVersion": version, "kind": "HorizontalPodAutoscaler", "metadata": meta(), "spec": object{"maxReplicas": one(w, 3, 5), "scaleTargetRef": object{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}})
	default:
		w.merge(one(w, scalers...), object{"spec": object{"maxReplicas": one(w, 4, 7)}})
	}
}
