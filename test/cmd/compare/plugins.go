package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// plugins generates a case for the admission plugins that are on by default.
func (w *world) plugins() {
	labels := object{}
	if w.in(2) {
		for _, mode := range []string{"enforce", "warn", "audit"} {
			w.some(labels, 2, "pod-security.kubernetes.io/"+mode, w.level())
			w.some(labels, 3, "pod-security.kubernetes.io/"+mode+"-version", w.version())
		}
	}
	w.send(http.MethodPost, "/api/v1/namespaces", "", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": w.name, "labels": labels}})
	w.account("default")
	w.account("robot")
	if w.in(2) {
		w.send(http.MethodPost, w.path("v1", "limitranges"), "", w.limitRange())
	}
	if w.in(2) {
		w.quota()
	}
	w.classes()
	w.settle(400)
	for range 20 {
		w.write()
	}
	w.send(http.MethodGet, w.path("v1", "resourcequotas")+"/q", "", nil)
	w.shared = append(w.shared, w.made["services"]...) // there are few cluster IPs
}

func (w *world) level() string {
	return one(w, "privileged", "baseline", "restricted", "baseline", "restricted", "restricted", one(w, "restricted", "else"))
}

func (w *world) version() string {
	return one(w, "latest", fmt.Sprintf("v1.%d", w.random.IntN(37)), one(w, "v1.36", "v1.37", "v1.99", "v1.0", "1.2", ""))
}

func (w *world) account(name string) {
	out := object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object{"name": name}}
	w.some(out["metadata"].(object), 4, "annotations", object{"kubernetes.io/enforce-mountable-secrets": one(w, "true", "true", "false", "TRUE", "1", "x")})
	w.some(out, 4, "secrets", []any{object{"name": "known"}})
	w.some(out, 4, "imagePullSecrets", []any{object{"name": "pull"}})
	w.some(out, 6, "automountServiceAccountToken", w.in(2))
	w.send(http.MethodPost, w.path("v1", "serviceaccounts"), "", out)
}

// limitRange returns a LimitRange, mostly valid, with one item of each type at most, so that
// the order in which kube-apiserver reads ranges has no effect.
func (w *world) limitRange() object {
	var items []any
	for _, kind := range []string{"Container", "Pod", "PersistentVolumeClaim"} {
		if w.in(2) {
			items = append(items, w.limits(kind))
		}
	}
	if items == nil {
		items = []any{w.limits("Container")}
	}
	return object{"apiVersion": "v1", "kind": "LimitRange", "metadata": object{"name": "l"}, "spec": object{"limits": items}}
}

func (w *world) limits(kind string) object {
	out := object{"type": kind}
	set := func(field, name, value string) {
		if out[field] == nil {
			out[field] = object{}
		}
		out[field].(object)[name] = value
	}
	if kind == "PersistentVolumeClaim" {
		set(one(w, "min", "max"), "storage", one(w, "1Gi", "2Gi", "100M"))
		return out
	}
	for _, each := range []struct {
		name   string
		values [4]string
	}{{"cpu", [4]string{"50m", "100m", "500m", "1500m"}}, {"memory", [4]string{"64Mi", "100M", "128Mi", "1Gi"}}, {"ephemeral-storage", [4]string{"10Mi", "1Gi", "2Gi", "5Gi"}}} {
		if w.in(2) {
			continue
		}
		for i, field := range []string{"min", "defaultRequest", "default", "max"} {
			if w.in(2) && (kind == "Container" || i%3 == 0) {
				set(field, each.name, each.values[i])
			}
		}
		if w.in(4) {
			set("maxLimitRequestRatio", each.name, one(w, "1", "2", "4", "1.5"))
		}
	}
	return out
}

// quotaNames are names in a quota with amounts that some writes exceed.
var quotaNames = [][2]string{
	{"pods", "4"}, {"cpu", "2"}, {"requests.cpu", "1500m"}, {"memory", "1Gi"}, {"requests.memory", "500M"}, {"limits.cpu", "4"}, {"limits.memory", "3Gi"},
	{"requests.ephemeral-storage", "3Gi"}, {"ephemeral-storage", "2Gi"}, {"limits.ephemeral-storage", "10Gi"}, {"requests.example.com/gpu", "2"}, {"hugepages-2Mi", "4Mi"},
	{"count/pods", "4"}, {"count/deployments.apps", "1"}, {"count/jobs.batch", "1"}, {"services", "2"}, {"services.nodeports", "2"}, {"services.loadbalancers", "1"},
	{"persistentvolumeclaims", "2"}, {"requests.storage", "4Gi"}, {"count/configmaps", "2"}, {"configmaps", "2"}, {"secrets", "1"}, {"count/secrets", "2"}, {"count/ingresses.networking.k8s.io", "1"},
}

// scoped are the names that a quota with a scope may have.
var scoped = []string{"pods", "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}

// scope gives a quota for pods a scope or a selector of scopes, or none.
func (w *world) scope(spec object) {
	switch w.random.IntN(5) {
	case 0:
		spec["scopes"] = []any{one(w, "Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity", "PriorityClass")}
	case 1:
		match := object{"scopeName": "PriorityClass", "operator": one(w, "In", "NotIn", "Exists", "DoesNotExist")}
		if operator := match["operator"]; operator == "In" || operator == "NotIn" {
			match["values"] = []any{"p0-" + w.name}
		}
		spec["scopeSelector"] = object{"matchExpressions": []any{match}}
	case 2:
		spec["scopeSelector"] = object{"matchExpressions": []any{object{"scopeName": one(w, "Terminating", "NotTerminating", "BestEffort", "NotBestEffort"), "operator": "Exists"}}}
	}
}

// quota creates a quota and writes its status, as its controller does.
func (w *world) quota() {
	hard, used := object{}, object{}
	for range 1 + w.random.IntN(5) {
		each := quotaNames[w.random.IntN(len(quotaNames))]
		hard[each[0]] = each[1]
		if !w.in(20) {
			used[each[0]] = "0"
		}
	}
	spec := object{"hard": hard}
	if w.in(2) {
		for name := range hard {
			if !slices.Contains(scoped, name) {
				delete(hard, name)
				delete(used, name)
			}
		}
		hard["pods"], used["pods"] = "3", "0"
		w.scope(spec)
	}
	w.send(http.MethodPost, w.path("v1", "resourcequotas"), "", object{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": object{"name": "q"}, "spec": spec})
	w.patch(mergePatchType, w.path("v1", "resourcequotas")+"/q/status", "", object{"status": object{"hard": hard, "used": used}})
}

// classes creates objects without a namespace that admission reads.
func (w *world) classes() {
	for i := range 2 {
		p := object{"value": one(w, 0, 10, 1000, -5)}
		w.some(p, 4, "globalDefault", true)
		w.some(p, 2, "preemptionPolicy", one(w, "Never", "PreemptLowerPriority"))
		w.global("scheduling.k8s.io/v1", "priorityclasses", fmt.Sprintf("p%d", i), p)
		r := object{"handler": "h"}
		w.some(r, 2, "overhead", object{"podFixed": one(w, object{"cpu": "100m"}, object{"cpu": "250m", "memory": "64Mi"}, object{})})
		scheduling := object{}
		w.some(scheduling, 2, "nodeSelector", object{"a": "v"})
		w.some(scheduling, 2, "tolerations", w.list(1, 2, w.toleration))
		w.some(r, 2, "scheduling", scheduling)
		w.global("node.k8s.io/v1", "runtimeclasses", fmt.Sprintf("r%d", i), r)
		s := object{"provisioner": "p.example.com", "metadata": object{}}
		w.some(s["metadata"].(object), 3, "annotations", object{one(w, "storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"): one(w, "true", "true", "false", "True")})
		w.some(s, 2, "allowVolumeExpansion", w.in(2))
		w.global("storage.k8s.io/v1", "storageclasses", fmt.Sprintf("s%d", i), s)
	}
	n := object{"metadata": object{"labels": object{}}}
	nodeLabels := n["metadata"].(object)["labels"].(object)
	w.some(nodeLabels, 2, "topology.kubernetes.io/zone", "z")
	w.some(nodeLabels, 2, "topology.kubernetes.io/region", "r")
	w.some(nodeLabels, 5, "kubernetes.io/os", "windows")
	w.some(n, 2, "spec", object{"taints": []any{object{"key": one(w, "node.kubernetes.io/not-ready", "a"), "effect": one(w, "NoSchedule", "NoExecute")}}})
	w.global("v1", "nodes", "n", n)
	w.patch(mergePatchType, "/api/v1/nodes/n-"+w.name+"/status", "", object{"status": object{"capacity": object{"cpu": "1", "memory": "1Gi"}, "allocatable": object{"cpu": "1", "memory": "1Gi"},
		"declaredFeatures": one(w, []any{}, []any{"InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"})}})
	i := object{"spec": object{"controller": "c.example.com/c"}, "metadata": object{}}
	w.some(i["metadata"].(object), 2, "annotations", object{"ingressclass.kubernetes.io/is-default-class": one(w, "true", "true", "false")})
	w.global("networking.k8s.io/v1", "ingressclasses", "i", i)
}

// write adds a write to which plugins apply.
func (w *world) write() {
	pods := w.made["pods"]
	switch n := w.random.IntN(40); {
	case n < 14 || len(pods) == 0 && n < 24:
		w.create("v1", "pods", w.pod())
	case n < 24:
		w.changePod(one(w, pods...))
	case n < 29:
		version, resource, out := w.workload()
		w.create(version, resource, out)
	case n < 30:
		w.merge("/api/v1/namespaces/"+w.name, object{"metadata": object{"labels": object{
			"pod-security.kubernetes.io/" + one(w, "enforce", "warn", "enforce-version"): one[any](w, w.level(), w.version(), nil)}}})
		w.settle(150)
	case n < 35:
		w.claim()
	case n < 37:
		w.service()
	default:
		w.other()
	}
}

func (w *world) changePod(path string) {
	switch w.random.IntN(8) {
	case 0:
		w.merge(path, object{"metadata": object{"labels": object{"l": fmt.Sprint(len(w.steps))}}})
	case 1:
		w.merge(path, object{"spec": object{"activeDeadlineSeconds": 5}})
	case 2, 3:
		w.patch(strategicPatchType, path+"/resize", w.dryRun(), object{"spec": object{"containers": []any{object{"name": "c0", "resources": w.resources(false)}}}})
	case 4:
		c := w.container(fmt.Sprintf("e%d", len(w.steps)))
		delete(c, "resources")
		delete(c, "ports")
		delete(c, "livenessProbe")
		delete(c, "lifecycle")
		w.patch(strategicPatchType, path+"/ephemeralcontainers", "", object{"spec": object{"ephemeralContainers": []any{c}}})
	case 5:
		w.merge(path+"/status", object{"status": object{"phase": one(w, "Succeeded", "Running")}})
	case 6:
		w.send(http.MethodPost, path+"/binding", "", object{"apiVersion": "v1", "kind": "Binding", "metadata": object{"name": path[strings.LastIndex(path, "/")+1:]}, "target": object{"kind": "Node", "name": one(w, "n-"+w.name, "absent")}})
	case 7:
		w.patch(one(w, mergePatchType, strategicPatchType), path, "", object{"spec": object{"tolerations": []any{w.toleration(0)}}})
	}
}

func (w *world) claim() {
	if claims := w.made["persistentvolumeclaims"]; len(claims) > 0 && w.in(2) {
		path := one(w, claims...)
		switch w.random.IntN(3) {
		case 0:
			w.merge(path+"/status", object{"status": object{"phase": "Bound", "capacity": object{"storage": one(w, "1Gi", "2Gi")}}})
		default:
			w.merge(path, object{"spec": object{"resources": object{"requests": object{"storage": one(w, "1Gi", "3Gi", "5Gi", "2Gi")}}}})
		}
		return
	}
	spec := object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": one(w, "1Gi", "2Gi", "500M", "100Mi")}}}
	w.some(spec, 2, "storageClassName", one(w, "s0-"+w.name, "s1-"+w.name, "", "absent"))
	w.some(spec, 3, "volumeName", "v")
	w.create("v1", "persistentvolumeclaims", object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec})
}

func (w *world) service() {
	if services := w.made["services"]; len(services) > 0 && w.in(2) {
		w.merge(one(w, services...), object{"spec": object{"type": one(w, "ClusterIP", "NodePort", "LoadBalancer")}})
		return
	}
	spec := object{"ports": w.list(1, 2, func(i int) any { return object{"name": fmt.Sprintf("p%d", i), "port": 80 + i} }), "type": one(w, "ClusterIP", "NodePort", "LoadBalancer")}
	if spec["type"] == "LoadBalancer" {
		w.some(spec, 2, "allocateLoadBalancerNodePorts", w.in(2))
	}
	w.create("v1", "services", object{"apiVersion": "v1", "kind": "Service", "spec": spec})
}

// other writes an object of a kind with few rules of admission.
func (w *world) other() {
	switch w.random.IntN(8) {
	case 0:
		spec := object{"defaultBackend": object{"service": object{"name": "s", "port": object{"number": 80}}}}
		w.some(spec, 4, "ingressClassName", "i-"+w.name)
		out := object{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": spec, "metadata": object{}}
		w.some(out["metadata"].(object), 4, "annotations", object{"kubernetes.io/ingress.class": "x"})
		w.create("networking.k8s.io/v1", "ingresses", out)
	case 1:
		w.create("v1", "configmaps", object{"apiVersion": "v1", "kind": "ConfigMap"})
	case 2:
		w.create("v1", "secrets", object{"apiVersion": "v1", "kind": "Secret"})
	case 3:
		w.create("scheduling.k8s.io/v1!", "priorityclasses", object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 7, "globalDefault": w.in(2)})
		w.settle(150)
	case 4:
		w.create("storage.k8s.io/v1!", "volumeattributesclasses", object{"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttributesClass", "driverName": "d.example.com", "parameters": object{"a": "b"}})
	case 5:
		w.merge("/apis/scheduling.k8s.io/v1/priorityclasses/p0-"+w.name, object{"description": "d"})
	case 6:
		w.create("v1!", "nodes", object{"apiVersion": "v1", "kind": "Node", "spec": object{"taints": []any{object{"key": one(w, "node.kubernetes.io/not-ready", "a"), "effect": "NoSchedule"}}}})
	case 7:
		w.create("v1!", "persistentvolumes", object{"apiVersion": "v1", "kind": "PersistentVolume", "spec": object{"capacity": object{"storage": "1Gi"}, "accessModes": []any{"ReadWriteOnce"}, "hostPath": object{"path": "/p"}}})
	}
}
