package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// owned is a kind whose objects own others or are owned.
type owned struct {
	apiVersion, resource, kind string
	spec                       func(*world, object)
}

var ownedKinds = []owned{
	{"v1", "configmaps", "ConfigMap", func(w *world, o object) { o["data"] = object{"k": one(w, "1", "2")} }},
	{"v1", "pods", "Pod", func(w *world, o object) {
		spec := object{"containers": []any{object{"name": "c", "image": "i"}}, "terminationGracePeriodSeconds": one(w, 0, 1, 30, 30)}
		w.some(spec, 2, "nodeName", "n")
		o["spec"] = spec
	}},
	{"apps/v1", "replicasets", "ReplicaSet", func(w *world, o object) {
		o["spec"] = object{"replicas": one(w, 0, 1), "selector": object{"matchLabels": object{"x": "1"}}, "template": object{"metadata": object{"labels": object{"x": "1"}}, "spec": object{"containers": []any{object{"name": "c", "image": "i"}}}}}
	}},
	{"batch/v1", "jobs", "Job", func(w *world, o object) {
		o["spec"] = object{"suspend": w.in(2), "template": object{"spec": object{"restartPolicy": "Never", "containers": []any{object{"name": "c", "image": "i"}}}}}
	}},
	{"v1", "replicationcontrollers", "ReplicationController", func(w *world, o object) {
		o["spec"] = object{"replicas": 0, "selector": object{"x": "1"}, "template": object{"metadata": object{"labels": object{"x": "1"}}, "spec": object{"containers": []any{object{"name": "c", "image": "i"}}}}}
	}},
	{"rbac.authorization.k8s.io/v1!", "clusterroles", "ClusterRole", func(*world, object) {}},
}

// isGlobal reports whether the objects have no namespace.
func (o owned) isGlobal() bool { return strings.HasSuffix(o.apiVersion, "!") }

// place is an object of an owned kind that a case may create.
type place struct {
	owned
	namespace, name string
}

func (p place) version() string { return strings.TrimSuffix(p.apiVersion, "!") }

func (p place) collection() string {
	if p.isGlobal() {
		return prefix(p.version()) + "/" + p.resource
	}
	return prefix(p.version()) + "/namespaces/" + p.namespace + "/" + p.resource
}

func (p place) path() string { return p.collection() + "/" + p.name }

// place returns an object of the case, mostly one of a few.
func (w *world) place() place {
	of := one(w, w.owned...)
	p := place{of, w.name, one(w, "a", "a", "b", "b", "c")}
	if w.in(10) {
		p.namespace += "-2"
	}
	if of.isGlobal() {
		p.name += "-" + w.name
	}
	return p
}

// deletions generates objects with owners and finalizers in two namespaces, and deletions with all options.
func (w *world) deletions() {
	names := []string{w.name, w.name + "-2"}
	for _, ns := range names {
		w.namespace(ns)
		w.send(http.MethodPost, "/api/v1/namespaces/"+ns+"/serviceaccounts", "", object{"metadata": object{"name": "default"}}) // pods wait for it
	}
	w.shared = nil
	for range 3 {
		w.owned = append(w.owned, one(w, append(ownedKinds, ownedKinds[1], ownedKinds[1])...))
	}
	for range 20 + w.random.IntN(25) {
		w.writeOwned()
	}
	for _, of := range w.owned {
		if !of.isGlobal() {
			w.send(http.MethodGet, place{of, w.name, ""}.collection(), "", nil)
		}
	}
}

var finalizerSets = [][]any{{"example.com/a"}, {"example.com/a", "example.com/b"}, {"foregroundDeletion"}, {"orphan"}, {"orphan", "foregroundDeletion"},
	{"example.com/a", "foregroundDeletion"}, {"example.com/b", "orphan"}, {"foregroundDeletion", "example.com/a"}, {}, {"example.com/a", "example.com/a"}}

func (w *world) finalizers() any {
	if w.in(30) {
		return []any{one(w, "plain", "example.com/", "kubernetes")}
	}
	return one(w, finalizerSets...)
}

// owners returns references to other objects of the case, some of which do not exist.
func (w *world) owners() any {
	return w.list(0, 2, func(int) any {
		of := w.place()
		out := object{"apiVersion": of.version(), "kind": of.kind, "name": of.name, "uid": refer("UID", of.path())}
		w.some(out, 3, "controller", w.in(2))
		w.some(out, 2, "blockOwnerDeletion", w.in(2))
		w.some(out, 10, "uid", one(w, "no-uid", "00000000-0000-4000-8000-000000000001"))
		w.some(out, 25, "apiVersion", one(w, "", "v1", "example.com/v1"))
		w.some(out, 25, "name", "")
		return out
	})
}

func (w *world) ownedObject(p place) object {
	meta := object{"name": p.name, "labels": object{"l": one(w, "1", "2")}}
	if w.in(2) {
		meta["finalizers"] = w.finalizers()
	}
	if w.in(2) {
		meta["ownerReferences"] = w.owners()
	}
	out := object{"apiVersion": p.version(), "kind": p.kind, "metadata": meta}
	p.spec(w, out)
	return out
}

// deleteOptions returns a query and a body with options of a deletion of an object. Their preconditions may be those of
// another one.
func (w *world) deleteOptions(path, other string) (query string, body any) {
	if w.in(4) {
		return w.dryRun(), nil
	}
	out := object{}
	switch w.random.IntN(4) {
	case 0, 1:
		out["propagationPolicy"] = one(w, "Orphan", "Background", "Foreground", "Foreground", one(w, "Background", "x"))
	case 2:
		out["orphanDependents"] = w.in(2)
	}
	w.some(out, 30, "orphanDependents", w.in(2))
	w.some(out, 3, "gracePeriodSeconds", one(w, 0, 1, 5, 60, -1))
	if w.in(4) {
		query = ""
		for _, key := range []string{"propagationPolicy", "orphanDependents", "gracePeriodSeconds"} {
			if v, ok := out[key]; ok {
				query += fmt.Sprintf("&%s=%v", key, v)
			}
		}
		w.extend(&query, 8, "&dryRun=All")
		return strings.TrimPrefix(query, "&"), nil
	}
	if w.in(4) {
		conditions := object{}
		w.some(conditions, 2, "uid", refer("UID", one(w, path, path, other)))
		w.some(conditions, 2, "resourceVersion", refer("RV", one(w, path, path, other)))
		out["preconditions"] = conditions
	}
	w.some(out, 10, "dryRun", []any{"All"})
	return "", out
}

func (w *world) writeOwned() {
	p := w.place()
	path := p.path()
	switch n := w.random.IntN(40); {
	case n < 12:
		w.send(http.MethodPost, p.collection(), w.dryRun(), w.ownedObject(p))
	case n < 14:
		out := w.ownedObject(p)
		w.some(metadata(out), 3, "resourceVersion", refer("RV", path))
		w.some(metadata(out), 6, "uid", refer("UID", one(w, path, w.place().path())))
		w.send(http.MethodPut, path, w.dryRun(), out)
	case n < 19:
		meta := object{}
		w.some(meta, 2, "finalizers", w.finalizers())
		w.some(meta, 3, "finalizers", nil)
		w.some(meta, 4, "ownerReferences", w.owners())
		w.some(meta, 5, "labels", object{"l": one[any](w, "1", "2", nil)})
		w.some(meta, 15, "deletionTimestamp", one[any](w, nil, "2020-01-01T00:00:00Z"))
		w.some(meta, 15, "deletionGracePeriodSeconds", one[any](w, nil, 5))
		w.patch(one(w, mergePatchType, mergePatchType, strategicPatchType), path, w.dryRun(), object{"metadata": meta})
	case n < 21:
		w.patch(jsonPatchType, path, w.dryRun(), one(w,
			[]any{object{"op": "remove", "path": "/metadata/finalizers"}}, []any{object{"op": "remove", "path": "/metadata/finalizers/0"}},
			[]any{object{"op": "remove", "path": "/metadata/ownerReferences/0"}},
			[]any{object{"op": "add", "path": "/metadata/finalizers/-", "value": one(w, "example.com/c", "orphan", "foregroundDeletion")}}))
	case n < 23:
		out := w.ownedObject(p)
		query := "fieldManager=" + one(w, "m", "n") + "&force=true"
		w.extend(&query, 10, "&dryRun=All")
		w.patch(applyPatchType, path, query, out)
	case n < 31:
		query, body := w.deleteOptions(path, w.place().path())
		w.send(http.MethodDelete, path, query, body)
	case n < 33:
		if p.isGlobal() {
			return
		}
		query, body := w.deleteOptions(path, w.place().path())
		if selector := one(w, "", "labelSelector=l=1", "labelSelector=l!=1", "fieldSelector=metadata.name=b", "limit=1"); selector != "" {
			query = strings.TrimPrefix(query+"&"+selector, "&")
		}
		w.send(http.MethodDelete, p.collection(), query, body)
	case n < 34:
		w.send(http.MethodGet, path, "", nil)
	case n < 38:
		if slices.ContainsFunc(w.owned, func(of owned) bool { return of.resource == "pods" }) {
			w.evict()
			w.evict()
		}
	default:
		w.endNamespace()
	}
}

// evict evicts a pod, changes what its eviction depends on, or writes a budget.
func (w *world) evict() {
	name := one(w, "a", "b")
	pod := "/api/v1/namespaces/" + w.name + "/pods/" + name
	budgets := "/apis/policy/v1/namespaces/" + w.name + "/poddisruptionbudgets"
	budget := one(w, "p", "p", "p", "q")
	switch w.random.IntN(8) {
	case 0, 1, 2:
		out := object{"apiVersion": one(w, "policy/v1", "policy/v1", "policy/v1beta1"), "kind": "Eviction", "metadata": object{"name": name}}
		if w.in(2) {
			query, options := w.deleteOptions(pod, w.place().path())
			if query == "" {
				out["deleteOptions"] = options
			}
		}
		w.send(http.MethodPost, pod+"/eviction", w.dryRun(), out)
	case 3, 4:
		status := object{"phase": one(w, "Running", "Running", "Running", "Pending", "Succeeded", "Failed")}
		w.some(status, 2, "conditions", []any{object{"type": "Ready", "status": one(w, "True", "False")}})
		w.patch(mergePatchType, pod+"/status", "", object{"status": status})
	case 5:
		spec := object{one(w, "minAvailable", "maxUnavailable"): one[any](w, 1, "50%"), "selector": one(w, object{"matchLabels": object{"l": "1"}}, object{}, object{"matchLabels": object{"l": "2"}})}
		w.some(spec, 3, "unhealthyPodEvictionPolicy", one(w, "AlwaysAllow", "IfHealthyBudget"))
		w.send(http.MethodPost, budgets, "", object{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": object{"name": budget}, "spec": spec})
	case 6:
		status := object{"disruptionsAllowed": one(w, 0, 1, 1, 2, 3), "observedGeneration": one(w, 1, 1, 1, 0, 2), "currentHealthy": one(w, 0, 1, 2), "desiredHealthy": one(w, 0, 1, 2)}
		w.some(status, 4, "disruptedPods", one[any](w, object{"a": "2026-01-01T00:00:00Z"}, nil))
		w.some(status, 4, "conditions", []any{object{"type": "DisruptionAllowed", "status": one(w, "True", "False"), "reason": one(w, "SyncFailed", "InsufficientPods", "SufficientPods"), "message": one(w, "", "m"), "lastTransitionTime": "2026-01-01T00:00:00Z"}})
		w.patch(mergePatchType, budgets+"/"+budget+"/status", w.dryRun(), object{"status": status})
	case 7:
		w.send(one(w, http.MethodDelete, http.MethodGet, http.MethodGet), budgets+"/"+budget, "", nil)
	}
}

// endNamespace writes the second namespace, which may be deleted.
func (w *world) endNamespace() {
	name := w.name + "-2"
	path := "/api/v1/namespaces/" + name
	switch w.random.IntN(7) {
	case 0:
		query, body := w.deleteOptions(path, w.place().path())
		w.send(http.MethodDelete, path, query, body)
	case 1:
		w.patch(mergePatchType, path, w.dryRun(), object{"metadata": object{"finalizers": one[any](w, w.finalizers(), nil)}, "spec": one(w, object{}, object{"finalizers": []any{"example.com/n"}})})
	case 2:
		w.send(http.MethodPut, path+"/finalize", w.dryRun(), object{"apiVersion": "v1", "kind": "Namespace", "metadata": one(w, object{"name": name}, object{"name": name, "resourceVersion": refer("RV", path)}, object{"name": name, "finalizers": []any{"example.com/f"}}),
			"spec": object{"finalizers": one(w, []any{}, []any{"kubernetes"}, []any{"example.com/n"}, []any{"kubernetes", "example.com/n"}, []any{"x"})}})
	case 3:
		w.send(http.MethodPost, "/api/v1/namespaces", w.dryRun(), object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name, "finalizers": w.finalizers()}, "spec": one(w, object{}, object{}, object{"finalizers": []any{"example.com/n"}})})
	case 4:
		w.patch(mergePatchType, path+"/status", w.dryRun(), object{"status": object{"phase": one(w, "Active", "Terminating"), "conditions": one[any](w, nil, []any{object{"type": "C", "status": "True"}})}})
	default:
		w.send(http.MethodGet, path, "", nil)
	}
}
