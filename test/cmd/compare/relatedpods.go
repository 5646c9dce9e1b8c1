package main

import (
	"fmt"
	"net/http"
)

// subresources generates writes to the subresources of pods, workloads and accounts, one after the other.
func (w *world) subresources() {
	w.namespace(w.name)
	w.account("default")
	w.setting("v1", "nodes", "Node", "n", object{"spec": object{}})
	for range 25 + w.random.IntN(15) {
		switch n := w.random.IntN(20); {
		case n < 12:
			w.stepPod()
		case n < 16:
			w.stepScale()
		default:
			w.stepToken()
		}
	}
	for _, path := range []string{w.path("v1", "pods"), w.path("apps/v1", "deployments"), w.path("apps/v1", "replicasets")} {
		w.send(http.MethodGet, path, "", nil)
	}
}

func (w *world) stepPod() {
	name := one(w, "a", "a", "b")
	pods := w.path("v1", "pods")
	path := pods + "/" + name
	node := "n-" + w.name
	switch w.random.IntN(14) {
	case 0, 1, 2:
		spec := object{"containers": w.list(1, 2, func(i int) any {
			c := object{"name": fmt.Sprintf("c%d", i), "image": "i", "resources": w.plainResources()}
			w.some(c, 4, "resizePolicy", []any{object{"resourceName": "cpu", "restartPolicy": one(w, "NotRequired", "RestartContainer")}})
			return c
		})}
		w.some(spec, 3, "initContainers", []any{object{"name": "i", "image": "i", "restartPolicy": "Always", "resources": w.plainResources()}})
		w.some(spec, 6, "schedulingGates", []any{object{"name": "example.com/g"}})
		w.some(spec, 6, "nodeName", node)
		w.some(spec, 6, "nodeSelector", object{"a": "b"})
		w.send(http.MethodPost, pods, w.dryRun(), object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name, "labels": object{"l": "1"}}, "spec": spec})
	case 3, 4:
		meta := object{"name": one(w, name, name, name, "other", "")}
		w.some(meta, 4, "uid", refer("UID", pods+"/"+one(w, "a", "b")))
		w.some(meta, 6, "resourceVersion", refer("RV", path))
		w.some(meta, 3, "annotations", object{"x": "y"})
		w.some(meta, 3, "labels", object{one(w, "l", "m"): "2"})
		out := object{"apiVersion": "v1", "kind": "Binding", "metadata": meta, "target": object{"kind": one(w, "Node", "Node", "", "Pod"), "name": one(w, node, node, "absent", "")}}
		if w.in(4) {
			w.send(http.MethodPost, w.path("v1", "bindings"), w.dryRun(), out)
			return
		}
		w.send(http.MethodPost, path+"/binding", w.dryRun(), out)
	case 5:
		c := object{"name": fmt.Sprintf("e%d", w.random.IntN(3)), "image": one(w, "i", "j")}
		w.some(c, 3, "targetContainerName", one(w, "c0", "c1", "x"))
		w.some(c, 8, "resources", w.plainResources())
		w.patch(one(w, strategicPatchType, strategicPatchType, mergePatchType), path+"/ephemeralcontainers", w.dryRun(), object{"spec": object{"ephemeralContainers": []any{c}}})
	case 6, 7:
		w.patch(one(w, strategicPatchType, strategicPatchType, strategicPatchType, mergePatchType), path+"/resize", w.dryRun(), object{"spec": object{one(w, "containers", "containers", "containers", "initContainers"): []any{object{"name": one(w, "c0", "c0", "c1", "i", "x"), "resources": w.plainResources()}}}})
	case 8, 9:
		status := object{"phase": one(w, "Running", "Running", "Pending", "Succeeded", "Failed")}
		w.some(status, 2, "conditions", []any{object{"type": one(w, "Ready", "PodScheduled", "ContainersReady"), "status": one(w, "True", "False"), "observedGeneration": one(w, 1, 2)}})
		w.some(status, 4, "podIP", "10.1.2.3")
		w.some(status, 4, "nominatedNodeName", one(w, node, "x y"))
		w.some(status, 3, "containerStatuses", []any{object{"name": "c0", "image": "i", "imageID": "i", "ready": true, "restartCount": one(w, 0, 1, 2), "state": one(w, object{"running": object{}}, object{"terminated": object{"exitCode": 0}}), "resources": w.plainResources()}})
		w.some(status, 6, "observedGeneration", one(w, 1, 2, 5))
		w.patch(one(w, mergePatchType, strategicPatchType), path+"/status", w.dryRun(), object{"status": status})
	case 10:
		w.send(http.MethodPost, path+"/eviction", w.dryRun(), object{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": object{"name": one(w, name, name, name, "other")}})
	case 11:
		query, body := w.deleteOptions(path, path)
		w.send(http.MethodDelete, path, query, body)
	case 12:
		w.patch(jsonPatchType, path, w.dryRun(), one(w, []any{object{"op": "remove", "path": "/spec/schedulingGates"}}, []any{object{"op": "replace", "path": "/spec/containers/0/image", "value": "k"}}, []any{object{"op": "add", "path": "/spec/nodeSelector", "value": object{"a": "b", "c": "d"}}}))
	case 13:
		w.send(http.MethodGet, path+one(w, "", "/status", "/resize", "/ephemeralcontainers"), "", nil)
	}
}

// scaled are the resources that have a scale.
var scaled = []struct{ version, resource, kind string }{{"apps/v1", "deployments", "Deployment"}, {"apps/v1", "replicasets", "ReplicaSet"}, {"apps/v1", "statefulsets", "StatefulSet"}, {"v1", "replicationcontrollers", "ReplicationController"}}

func (w *world) stepScale() {
	of := one(w, scaled...)
	name := "s"
	path := w.path(of.version, of.resource) + "/" + name
	version := "autoscaling/v1"
	switch w.random.IntN(8) {
	case 0, 1:
		spec := object{"selector": object{"matchLabels": object{"x": "1"}}, "template": object{"metadata": object{"labels": object{"x": "1"}}, "spec": object{"containers": []any{object{"name": "c", "image": one(w, "i", "j")}}}}}
		w.some(spec, 2, "replicas", one(w, 0, 1, 3))
		if of.version == "v1" {
			spec["selector"] = object{"x": "1"}
		}
		w.local(of.version, of.resource, of.kind, name, object{"spec": spec})
	case 2:
		meta := object{"name": one(w, name, name, name, "t"), "namespace": w.name}
		w.some(meta, 3, "resourceVersion", refer("RV", one(w, path, path, w.path("v1", "pods")+"/a")))
		w.some(meta, 4, "uid", refer("UID", path))
		w.send(http.MethodPut, path+"/scale", w.dryRun(), object{"apiVersion": version, "kind": "Scale", "metadata": meta, "spec": object{"replicas": one(w, 0, 1, 2, -1)}})
	case 3, 4:
		w.patch(one(w, mergePatchType, mergePatchType, strategicPatchType), path+"/scale", one(w, "", "", "fieldManager=m", "dryRun=All"), object{"spec": object{"replicas": one[any](w, 0, 1, 5, nil)}})
	case 5:
		w.patch(applyPatchType, path+"/scale", one(w, "fieldManager=m", "fieldManager=n", "fieldManager=m&force=true"), object{"apiVersion": version, "kind": "Scale", "metadata": object{"name": name}, "spec": object{"replicas": one(w, 1, 2, 4)}})
	case 6:
		w.patch(mergePatchType, path+"/status", w.dryRun(), object{"status": object{"replicas": one(w, 0, 1, 2), "observedGeneration": one(w, 1, 2, 3), "readyReplicas": one(w, 0, 1)}})
	case 7:
		w.send(http.MethodGet, path+one(w, "/scale", "", "/status"), "", nil)
	}
}

// stepToken requests a token of an account, or reviews one.
func (w *world) stepToken() {
	account := w.path("v1", "serviceaccounts") + "/" + one(w, "default", "default", "robot")
	token := account + "/token"
	switch w.random.IntN(8) {
	case 0, 1, 2:
		spec := object{}
		w.some(spec, 3, "expirationSeconds", one(w, 600, 3600, 60, 10000000))
		w.some(spec, 4, "audiences", []any{one(w, "a", "b")})
		if w.in(2) {
			of := one(w, "Pod", "Pod", "Secret", "Node", "ConfigMap")
			path := map[string]string{"Pod": w.path("v1", "pods") + "/a", "Secret": w.path("v1", "secrets") + "/k", "Node": "/api/v1/nodes/n-" + w.name, "ConfigMap": w.path("v1", "configmaps") + "/c"}[of]
			name := path[len(path)-1:]
			if of == "Node" {
				name = "n-" + w.name
			}
			bound := object{"kind": of, "apiVersion": "v1", "name": name}
			w.some(bound, 2, "uid", refer("UID", path))
			spec["boundObjectRef"] = bound
		}
		w.send(http.MethodPost, token, w.dryRun(), object{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
	case 3, 4, 5:
		spec := object{"token": refer("TOKEN", token)}
		w.some(spec, 4, "audiences", []any{one(w, "a", "b")})
		w.send(http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews", "", object{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec})
	case 6:
		w.local("v1", "serviceaccounts", "ServiceAccount", "robot", object{})
	case 7:
		w.local("v1", "secrets", "Secret", "k", object{})
	}
}
