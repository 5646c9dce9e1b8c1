package main

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
)

// compareAdmission compares cases in which webhooks, policies, parameters, namespaces and definitions change between the
// writes. Several cases are sent at once, because kube-apiserver needs some seconds to observe each change.
func compareAdmission(o *options, p *pair) (*report, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	server := hooks.Start()
	defer server.Close()
	r := newReport()
	if err := p.compareSteps(r, only, conformance.Case{Name: fmt.Sprintf("admission/%d-kinds", o.seed), Steps: sharedParameters(o)}); err != nil {
		return nil, err
	}
	var group errgroup.Group
	const atOnce = 30
	group.SetLimit(atOnce)
	for i := range o.cases {
		group.Go(func() error {
			w := newWorld(o.seed, i)
			w.admission()
			of := *p
			of.ours = server.Caller("ours-" + w.name).Around(remember(p.ours))
			of.theirs = server.Caller("theirs-" + w.name).Around(remember(p.theirs))
			of.identities = true
			c := conformance.Case{Name: fmt.Sprintf("admission/%d-%d", o.seed, i), Steps: w.steps}
			return errors.Join(of.compareSteps(r, only, c), of.remove(w.shared))
		})
	}
	return r, group.Wait()
}

// discoveryMS is how long kube-apiserver may take to find a new kind as one of parameters.
const discoveryMS = 12_000

// sharedParameters returns requests that define the kinds of parameters, and policies that keep kube-apiserver observing them.
func sharedParameters(o *options) []conformance.Step {
	w := newWorld(o.seed, -1)
	w.namespace(w.name)
	for _, of := range []struct{ plural, kind, scope string }{{"limits", "Limit", "Namespaced"}, {"ceilings", "Ceiling", "Cluster"}} {
		w.send(http.MethodPost, definitions, "", object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": of.plural + ".params.example.com"},
			"spec": object{"group": "params.example.com", "scope": of.scope, "names": object{"plural": of.plural, "kind": of.kind}, "versions": []any{object{"name": "v1", "served": true, "storage": true, "schema": object{
				"openAPIV3Schema": object{"type": "object", "properties": object{"data": object{"type": "object", "additionalProperties": object{"type": "string"}}, "max": object{"type": "integer"}}}}}}}})
	}
	w.settle(discoveryMS)
	w.keepParameters()
	w.keepParameter(parameterVersion, "Limit")
	w.keepParameter(parameterVersion, "Ceiling")
	w.settle(2200)
	return w.steps
}

const parameterVersion = "params.example.com/v1"

// settleMS is how long kube-apiserver may take to observe a change of admission: it looks for changed policies once a second.
const settleMS = 2200

// admission generates a case whose admission changes between the writes. All webhooks and policies apply to its own objects only.
func (w *world) admission() {
	w.confined = true
	w.parameterKinds = []any{object{"apiVersion": parameterVersion, "kind": "Limit"}, object{"apiVersion": parameterVersion, "kind": "Ceiling"}, object{"apiVersion": "v1", "kind": "ConfigMap"}}
	w.conditions = changingConditions
	w.send(http.MethodPost, "/api/v1/namespaces", "", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": w.name, "labels": object{"env": one(w, "prod", "test")}}})
	w.account("default")
	w.defineBox()
	for range 2 {
		w.changeParameter()
	}
	w.settle(2 * settleMS) // until both versions are served
	w.admittedRequests()
	for range 5 {
		for range w.random.IntN(3) {
			w.changeParameter() // before the others, which would apply to it at once or later
		}
		for range 1 + w.random.IntN(2) {
			w.changeAdmission()
		}
		w.settle(settleMS)
		w.admittedRequests()
	}
}

// admittedRequests adds some requests. kube-apiserver first tries a patch on the object in its cache, so that webhooks are
// called twice if the cache lacks the last write.
func (w *world) admittedRequests() {
	const cacheMS = 200
	for range 6 {
		w.admitted()
		w.steps[len(w.steps)-1].Request.SleepMS = cacheMS
	}
}

// changingConditions are expressions for policies in addition to those of world.condition.
var changingConditions = []string{
	"params == null || params.max > 3", "params.max > int(object.data.a)", "has(params.max) && params.max < 5", "params.data.max == object.spec.color", "params.metadata.namespace == request.namespace", "has(params.metadata.namespace)",
	"object.spec.color != 'red'", "object.spec.colour != 'red'", "object.apiVersion.endsWith('/v1')", "request.requestKind.version == request.kind.version", "request.kind.kind != 'Scale' || object.spec.replicas < 3", "has(object.status)",
	"object.target.name != 'n'", "object.kind != 'Eviction'", "oldObject != null", "object != null", "request.subResource in ['', 'status']", "request.requestSubResource == 'scale'", "request.options.kind == 'PatchOptions'", "has(request.options.dryRun)",
	"request.options.propagationPolicy == 'Orphan'", "has(request.options.preconditions)", "request.userInfo.username == 'admin'", "request.userInfo.groups.exists(g, g == 'system:masters')", "has(request.name)", "request.name == ''",
	"authorizer.requestResource.check('delete').allowed()", "authorizer.serviceAccount('default', 'x').group('').resource('pods').check('get').allowed()", "authorizer.path('/healthz').check('get').reason() == ''",
	"authorizer.group('apps').resource('deployments').subresource('scale').namespace(request.namespace).name('a').check('patch').errored()",
	"namespaceObject == null", "namespaceObject.metadata.labels.env == 'prod'", "has(namespaceObject.spec.finalizers)", "has(namespaceObject.status)", "namespaceObject.metadata.name == request.namespace", "size(namespaceObject.metadata.managedFields) > 0",
	"object.data.all(k, object.data.all(l, object.data.all(m, (k + l + m).size() > 0)))", "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f > 0))))))",
	"object.metadata.deletionTimestamp == null", "has(oldObject.metadata.deletionTimestamp)", "has(object.metadata.resourceVersion)", "object.metadata.?finalizers.orValue([]).size() == 0", "has(object.metadata.ownerReferences)", "object.metadata.generateName == 'generated-'",
	"object.spec.holderIdentity == 'h'", "object.container == 'c0'", "object.command.size() > 0", "object.metadata.labels.exists(k, k == 'mutated')", "object.metadata.annotations['m'] == object.metadata.name",
}

// changeParameter creates, changes or deletes a parameter.
func (w *world) changeParameter() {
	type parameter struct{ version, resource, kind string }
	of := one(w, parameter{"v1", "configmaps", "ConfigMap"}, parameter{"v1", "configmaps", "ConfigMap"}, parameter{parameterVersion, "limits", "Limit"}, parameter{parameterVersion + "!", "ceilings", "Ceiling"})
	name := one(w, "p0", "p0", "p1")
	if strings.HasSuffix(of.version, "!") {
		name += "-" + w.name
	}
	path := w.path(of.version, of.resource) + "/" + name
	labels, data := object{"p": one(w, "a", "b"), "case": w.name}, object{"max": one(w, "3", "5", "x")}
	w.some(data, 3, "a", "v")
	out := object{"apiVersion": strings.TrimSuffix(of.version, "!"), "kind": of.kind, "metadata": object{"name": name, "labels": labels}, "data": data}
	if of.kind != "ConfigMap" {
		w.some(out, 2, "max", one(w, 2, 4, 7))
	}
	switch n := w.random.IntN(8); {
	case n < 5:
		w.send(http.MethodPost, w.path(of.version, of.resource), "", out)
		if of.kind == "Ceiling" {
			w.shared = append(w.shared, path)
		}
	case n < 7:
		w.patch(mergePatchType, path, "", object{"metadata": object{"labels": object{"p": one[any](w, "a", "b", nil)}}, "data": object{"max": one[any](w, "3", "4", nil)}})
	default:
		w.send(http.MethodDelete, path, "", nil)
	}
}

// changeAdmission adds a change of what applies to the writes that follow.
func (w *world) changeAdmission() {
	kind := one(w, "Mutating", "Validating")
	switch n := w.random.IntN(15); {
	case n < 5:
		w.changeHooks(kind)
	case n < 12:
		w.changePolicy(kind)
	case n < 13:
		w.patch(mergePatchType, "/api/v1/namespaces/"+w.name, "", object{"metadata": object{"labels": object{"env": one[any](w, "prod", "test", nil)}}})
	default:
		w.changeBox()
	}
}

// changePolicy creates, changes or deletes a policy or a binding. Which of several policies that refuse is reported depends on
// chance in kube-apiserver, so that only the first validating one refuses, and none has two bindings.
func (w *world) changePolicy(kind string) {
	i := w.random.IntN(2)
	policy := fmt.Sprintf("%c%d", kind[0]+'a'-'A', i)
	resource := strings.ToLower(kind) + "admissionpolicies"
	if w.in(2) {
		spec := w.policySpec(kind)
		w.some(spec, 2, "failurePolicy", "Ignore")
		w.rewrite(resource, policy, object{"apiVersion": admissionGroup, "kind": kind + "AdmissionPolicy", "spec": spec})
	}
	for w.in(2) {
		spec := w.bindingSpec(kind, policy, w.in(2))
		if i > 0 && kind == "Validating" {
			spec["validationActions"] = []any{"Warn"}
		}
		if ref, ok := spec["paramRef"].(object); ok {
			if name, ok := ref["name"].(string); ok && w.in(3) {
				ref["name"] = name + "-" + w.name
				delete(ref, "namespace")
			}
			if selector, ok := ref["selector"].(object); ok {
				selector["matchLabels"].(object)["case"] = w.name // other cases have parameters without a namespace
			}
		}
		w.rewrite(strings.ToLower(kind)+"admissionpolicybindings", "b-"+policy, object{"apiVersion": admissionGroup, "kind": kind + "AdmissionPolicyBinding", "spec": spec})
	}
}

// rewrite creates an object of admission, replaces or deletes it.
func (w *world) rewrite(resource, name string, out object) {
	collection := w.path(admissionGroup+"!", resource)
	name += "-" + w.name
	path := collection + "/" + name
	metadata(out)["name"] = name
	switch {
	case !slices.Contains(w.shared, path):
		w.shared = append(w.shared, path)
		w.send(http.MethodPost, collection, "", out)
	case w.in(4):
		w.send(http.MethodDelete, path, "", nil)
		w.shared = slices.DeleteFunc(w.shared, func(made string) bool { return made == path })
	default:
		metadata(out)["resourceVersion"] = refer("RV", path)
		w.send(http.MethodPut, path, "", out)
	}
}

// boxes is the path of the definition of a case.
func (w *world) boxes() string { return definitions + "/boxes." + w.group() }

// boxVersion returns a version of boxes, whose color has another name in each, as the webhooks for conversion expect.
func (w *world) boxVersion(name string, served, storage bool) object {
	color := map[string]string{"v1": "color", "v1beta1": "colour"}[name]
	spec := object{"type": "object", "properties": object{color: object{"type": "string"}, "replicas": object{"type": "integer"}, "note": object{"type": "string", "default": "from-" + name}}}
	w.some(spec, 4, "x-kubernetes-validations", []any{object{"rule": "!has(self." + color + ") || self." + color + " != 'green'"}})
	out := object{"name": name, "served": served, "storage": storage, "schema": object{"openAPIV3Schema": object{"type": "object", "properties": object{"spec": spec, "status": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}
	if w.in(2) {
		out["subresources"] = object{"status": object{}, "scale": object{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}
	}
	return out
}

func (w *world) boxSpec() object {
	storage := w.in(3)
	spec := object{"group": w.group(), "scope": w.boxScope, "names": object{"kind": "Box", "plural": "boxes"}, "versions": []any{w.boxVersion("v1", true, !storage), w.boxVersion("v1beta1", !w.in(6), storage)}}
	if w.in(2) {
		handler := one(w, "rename", "rename", "rename", "rename", "labels", "fail", "no-result", "unknown", "managers", "500", "close")
		spec["conversion"] = object{"strategy": "Webhook", "webhook": object{"conversionReviewVersions": []any{"v1"}, "clientConfig": object{"url": "$HOOK$/c/" + handler, "caBundle": "$CA$"}}}
	} else {
		spec["conversion"] = object{"strategy": "None"}
	}
	return spec
}

// defineBox creates the definition of a case.
func (w *world) defineBox() {
	w.boxScope = one(w, "Namespaced", "Namespaced", "Cluster")
	w.shared = append(w.shared, w.boxes())
	w.send(http.MethodPost, definitions, "", object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "boxes." + w.group(), "labels": object{"l": one(w, "x", "y")}}, "spec": w.boxSpec()})
}

// changeBox changes the definition, or how its group is served.
func (w *world) changeBox() {
	if w.random.IntN(5) < 4 {
		w.patch(mergePatchType, w.boxes(), "", object{"spec": w.boxSpec()})
		return
	}
	w.patch(mergePatchType, prefix("apiregistration.k8s.io/v1")+"/apiservices/"+one(w, "v1", "v1beta1")+"."+w.group(), "", object{"spec": object{"versionPriority": one(w, 1, 200), "groupPriorityMinimum": one(w, 1000, 2000)}})
}
