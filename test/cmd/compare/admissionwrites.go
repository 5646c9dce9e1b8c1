package main

import (
	"fmt"
	"net/http"
)

// admitted adds a request to which webhooks and policies may apply.
func (w *world) admitted() {
	switch n := w.random.IntN(20); {
	case n < 6:
		w.admittedMap()
	case n < 11:
		w.admittedBox()
	case n < 15:
		w.admittedPod()
	case n < 17:
		w.governed()
	default:
		w.admittedOther()
	}
}

// labelled returns metadata with a name and sometimes labels, owners and a finalizer.
func (w *world) labelled(name string) object {
	out := object{"name": name}
	w.some(out, 2, "labels", object{"l": one(w, "x", "y")})
	w.some(out, 12, "finalizers", []any{"example.com/held"})
	w.some(out, 12, "ownerReferences", []any{object{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "00000000-0000-4000-8000-000000000009"}})
	return out
}

// relabel is a patch of metadata that may change which selectors match.
func (w *world) relabel() object {
	return object{"metadata": object{"labels": object{"l": one[any](w, "x", "y", nil)}, "finalizers": one[any](w, nil, nil, []any{"example.com/held"})}}
}

// removal sends a deletion of an object.
func (w *world) removal(path string) {
	query, body := w.deleteOptions(path, path)
	if w.in(2) {
		query, body = w.dryRun(), nil
	}
	w.send(http.MethodDelete, path, query, body)
}

func (w *world) admittedMap() {
	collection := w.path("v1", "configmaps")
	name := one(w, "a", "a", "b")
	path := collection + "/" + name
	data := object{}
	w.some(data, 2, "a", one(w, "x", "v", "3", "5"))
	w.some(data, 4, "b", "w")
	out := object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": w.labelled(name), "data": data}
	switch w.random.IntN(10) {
	case 0, 1:
		w.send(http.MethodPost, collection, one(w, "", "fieldManager=m", "fieldValidation=Strict", w.dryRun()), out)
	case 2:
		w.some(metadata(out), 2, "resourceVersion", refer("RV", path))
		w.send(http.MethodPut, path, w.dryRun(), out)
	case 3, 4:
		patch := w.relabel()
		patch["data"] = object{"a": one[any](w, "x", "v", nil, "4")}
		w.patch(one(w, mergePatchType, strategicPatchType), path, w.dryRun(), patch)
	case 5:
		w.patch(jsonPatchType, path, "", []any{object{"op": "add", "path": "/data", "value": data}})
	case 6, 7:
		delete(metadata(out), "name")
		w.patch(applyPatchType, path, one(w, "fieldManager=m", "fieldManager=n&force=true", "fieldManager=m&dryRun=All"), out)
	case 8:
		w.removal(path)
	default:
		w.send(http.MethodDelete, collection, one(w, "labelSelector=l%3Dx", "labelSelector=l%3Dy", "labelSelector=l%3Dx&dryRun=All"), nil)
	}
}

func (w *world) admittedBox() {
	version, color := one(w, "v1", "v1beta1"), "color"
	if version == "v1beta1" {
		color = "colour"
	}
	scoped := w.group() + "/" + version
	if w.boxScope == "Cluster" {
		scoped += "!"
	}
	collection, name := w.path(scoped, "boxes"), one(w, "a", "a", "b")
	path := collection + "/" + name
	spec := object{}
	w.some(spec, 2, color, one(w, "red", "blue", "green"))
	w.some(spec, 3, "replicas", one(w, 1, 2, 4))
	w.some(spec, 8, "unknown", "u")
	out := object{"apiVersion": w.group() + "/" + version, "kind": "Box", "metadata": w.labelled(name), "spec": spec}
	switch w.random.IntN(14) {
	case 0, 1, 2:
		w.send(http.MethodPost, collection, one(w, "", "fieldManager=m", "fieldValidation=Strict", w.dryRun()), out)
	case 3:
		metadata(out)["resourceVersion"] = refer("RV", path)
		w.send(http.MethodPut, path, w.dryRun(), out)
	case 4, 5:
		patch := w.relabel()
		patch["spec"] = object{color: one[any](w, "red", "blue", "green", nil)}
		w.patch(mergePatchType, path, w.dryRun(), patch)
	case 6, 7:
		delete(metadata(out), "name")
		w.patch(applyPatchType, path, one(w, "fieldManager=m", "fieldManager=n&force=true", "fieldManager=m&dryRun=All"), out)
	case 8:
		w.patch(mergePatchType, path+"/status", w.dryRun(), object{"status": object{"replicas": one(w, 1, 2), "phase": one(w, "a", "b")}, "spec": object{color: "red"}, "metadata": object{"labels": object{"l": "x"}}})
	case 9:
		w.patch(mergePatchType, path+"/scale", w.dryRun(), object{"spec": object{"replicas": one(w, 1, 2, 4)}})
	case 10:
		w.removal(path)
	case 11:
		w.send(http.MethodDelete, collection, one(w, "labelSelector=l%3Dx", "labelSelector=l%3Dy", "dryRun=All"), nil)
	case 12:
		w.send(http.MethodGet, one(w, path, collection, path+"/scale"), "", nil)
	default:
		w.send(http.MethodGet, prefix(w.group()), "", nil)
	}
}

func (w *world) admittedPod() {
	collection, name := w.path("v1", "pods"), one(w, "a", "a", "b")
	path := collection + "/" + name
	switch w.random.IntN(12) {
	case 0, 1, 2:
		containers := w.list(1, 2, func(i int) any { return object{"name": fmt.Sprintf("c%d", i), "image": one(w, "i", "x")} })
		w.send(http.MethodPost, collection, w.dryRun(), object{"apiVersion": "v1", "kind": "Pod", "metadata": w.labelled(name), "spec": object{"containers": containers, "terminationGracePeriodSeconds": one(w, 0, 30)}})
	case 3:
		w.patch(one(w, mergePatchType, strategicPatchType), path, w.dryRun(), w.relabel())
	case 4:
		w.patch(mergePatchType, path+"/status", w.dryRun(), object{"status": object{"phase": one(w, "Running", "Pending", "Succeeded")}, "metadata": object{"labels": object{"l": one(w, "x", "y")}}})
	case 5:
		out := object{"apiVersion": "v1", "kind": "Binding", "metadata": w.labelled(name), "target": object{"kind": "Node", "name": one(w, "n", "m")}}
		w.send(http.MethodPost, one(w, path+"/binding", path+"/binding", w.path("v1", "bindings")), w.dryRun(), out)
	case 6:
		out := object{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": w.labelled(name)}
		w.some(out, 3, "deleteOptions", one(w, object{"dryRun": []any{"All"}}, object{"gracePeriodSeconds": 0}, object{"propagationPolicy": "Orphan"}))
		w.send(http.MethodPost, path+"/eviction", w.dryRun(), out)
	case 7:
		w.patch(strategicPatchType, path+"/ephemeralcontainers", w.dryRun(), object{"spec": object{"ephemeralContainers": []any{object{"name": fmt.Sprintf("e%d", w.random.IntN(3)), "image": "i"}}}})
	case 8:
		w.patch(strategicPatchType, path+"/resize", w.dryRun(), object{"spec": object{"containers": []any{object{"name": "c0", "resources": object{"requests": object{"cpu": one(w, "1", "2")}}}}}})
	case 9:
		w.send(one(w, http.MethodGet, http.MethodPost), path+one(w, "/exec", "/attach", "/portforward"), one(w, "container=c0&command=ls", "", "container=c0", "ports=80", "container=nosuch&stdin=true&command=a&command=b"), nil)
	case 10:
		w.removal(path)
	default:
		w.send(http.MethodDelete, collection, one(w, "labelSelector=l%3Dx", "labelSelector=l%3Dy&gracePeriodSeconds=0", "dryRun=All"), nil)
	}
}

// admittedOther adds a request to a resource with a path of its own through admission.
func (w *world) admittedOther() {
	lease := w.path("coordination.k8s.io/v1", "leases") + "/" + one(w, "a", "b")
	switch w.random.IntN(9) {
	case 0, 1: // creates the object if it does not exist
		name := lease[len(lease)-1:]
		out := object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": w.labelled(name), "spec": object{"holderIdentity": one(w, "h", "i")}}
		w.some(metadata(out), 3, "resourceVersion", refer("RV", lease))
		w.send(http.MethodPut, lease, w.dryRun(), out)
	case 2:
		w.removal(lease)
	case 3:
		w.send(http.MethodPost, w.path("v1", "serviceaccounts")+"/default/token", w.dryRun(), object{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": object{"expirationSeconds": 600}})
	case 4:
		w.send(http.MethodPost, w.path("authorization.k8s.io/v1", "localsubjectaccessreviews"), w.dryRun(), object{"apiVersion": "authorization.k8s.io/v1", "kind": "LocalSubjectAccessReview", "metadata": object{"namespace": w.name}, "spec": object{"user": "u", "resourceAttributes": object{"namespace": w.name, "verb": "get", "resource": "pods"}}})
	case 5:
		w.patch(mergePatchType, "/api/v1/namespaces/"+w.name, w.dryRun(), object{"metadata": object{"annotations": object{"a": one(w, "1", "2")}}})
	case 6:
		w.patch(mergePatchType, "/api/v1/namespaces/"+w.name+"/status", w.dryRun(), object{"status": object{"conditions": []any{object{"type": one(w, "A", "B"), "status": "True"}}}})
	case 7:
		version := "autoscaling/" + one(w, "v1", "v2")
		w.patch(applyPatchType, w.path(version, "horizontalpodautoscalers")+"/a", "fieldManager=m&force=true", object{"apiVersion": version, "kind": "HorizontalPodAutoscaler", "spec": object{"maxReplicas": one(w, 3, 5), "scaleTargetRef": object{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}})
	default:
		w.send(http.MethodDelete, w.path("autoscaling/"+one(w, "v1", "v2"), "horizontalpodautoscalers"), w.dryRun(), nil)
	}
}
