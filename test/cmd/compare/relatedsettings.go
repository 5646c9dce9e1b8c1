package main

import (
	"fmt"
	"net/http"
)

// settingTopics are writes that depend on one another; a function that is repeated is called more often.
var settingTopics = [][]func(*world){
	{(*world).writeClass, (*world).writeClaim, (*world).writeClaim, (*world).writeClaim, (*world).writeVolume},
	{(*world).writePriority, (*world).writeRuntimeClass, (*world).limitedPod, (*world).limitedPod},
	{(*world).writeQuota, (*world).limitedPod, (*world).limitedPod},
	{(*world).writeQuota, (*world).counted, (*world).counted, (*world).writeClaim},
	{(*world).writeLimitRange, (*world).limitedPod, (*world).writeClaim},
	{(*world).writeAccount, (*world).limitedPod},
	{(*world).writeIngress},
	{(*world).writeResourceClaim, (*world).writeResourceClaim, (*world).limitedPod},
	{(*world).writeSigning},
}

// settings generates objects whose defaults and limits depend on others, which change meanwhile.
func (w *world) settings() {
	w.namespace(w.name)
	w.account("default")
	var some []func(*world)
	for range 3 {
		some = append(some, one(w, settingTopics...)...)
	}
	for range 35 {
		one(w, some...)(w)
	}
	for _, resource := range []string{"resourcequotas", "persistentvolumeclaims", "pods"} {
		w.send(http.MethodGet, w.path("v1", resource), "", nil)
	}
}

// setting writes an object without a namespace on which others depend, and waits until kube-apiserver observes it.
func (w *world) setting(version, resource, kind, name string, out object) {
	name += "-" + w.name
	path := prefix(version) + "/" + resource
	out["apiVersion"], out["kind"] = version, kind
	metadata(out)["name"] = name
	w.shared = append(w.shared, path+"/"+name)
	switch n := w.random.IntN(8); {
	case n < 3:
		w.send(http.MethodPost, path, w.dryRun(), out)
	case n < 5:
		w.patch(mergePatchType, path+"/"+name, w.dryRun(), out)
	case n < 7:
		w.patch(applyPatchType, path+"/"+name, "fieldManager=m&force=true", out)
	default:
		w.send(http.MethodDelete, path+"/"+name, w.dryRun(), nil)
	}
	w.settle(120)
}

// local writes an object in the namespace; of null, it deletes the object.
func (w *world) local(version, resource, kind, name string, out object) {
	out["apiVersion"], out["kind"] = version, kind
	metadata(out)["name"] = name
	path := w.path(version, resource)
	switch n := w.random.IntN(10); {
	case n < 5:
		w.send(http.MethodPost, path, w.dryRun(), out)
	case n < 7:
		w.patch(applyPatchType, path+"/"+name, "fieldManager=m&force=true", out)
	case n < 8:
		w.send(http.MethodPut, path+"/"+name, w.dryRun(), out)
	default:
		w.send(http.MethodDelete, path+"/"+name, w.dryRun(), nil)
	}
}

func (w *world) writeClass() {
	out := object{"provisioner": "p.example.com"}
	if w.in(2) {
		metadata(out)["annotations"] = object{one(w, "storageclass.kubernetes.io/is-default-class", "storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"): one[any](w, "true", "true", "false")}
	}
	w.some(out, 2, "allowVolumeExpansion", w.in(2))
	w.some(out, 4, "volumeBindingMode", one(w, "WaitForFirstConsumer", "Immediate"))
	w.setting("storage.k8s.io/v1", "storageclasses", "StorageClass", one(w, "s0", "s1"), out)
}

func (w *world) writeClaim() {
	name := one(w, "c0", "c1", "c2")
	path := w.path("v1", "persistentvolumeclaims") + "/" + name
	storage := func() object {
		return object{"requests": object{"storage": one(w, "1Gi", "2Gi", "1024Mi", "3Gi", "500M")}}
	}
	switch w.random.IntN(6) {
	case 0, 1:
		spec := object{"accessModes": []any{"ReadWriteOnce"}, "resources": storage()}
		w.some(spec, 3, "storageClassName", one(w, "s0-"+w.name, "s1-"+w.name, "", "absent"))
		w.some(spec, 3, "volumeName", "v0-"+w.name)
		w.some(spec, 6, "volumeAttributesClassName", "a")
		w.some(spec, 8, "dataSource", one(w, object{"kind": "PersistentVolumeClaim", "name": "c1"}, object{"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}))
		out := object{"spec": spec}
		w.some(metadata(out), 8, "annotations", object{"volume.beta.kubernetes.io/storage-class": "s0-" + w.name})
		w.local("v1", "persistentvolumeclaims", "PersistentVolumeClaim", name, out)
	case 2:
		status := object{"phase": one(w, "Bound", "Bound", "Pending", "Lost"), "capacity": object{"storage": one(w, "1Gi", "2Gi")}}
		w.some(status, 4, "allocatedResources", object{"storage": one(w, "2Gi", "3Gi")})
		w.some(status, 4, "allocatedResourceStatuses", object{"storage": one(w, "ControllerResizeInProgress", "NodeResizePending", "ControllerResizeInfeasible")})
		w.some(status, 5, "conditions", []any{object{"type": "Resizing", "status": "True"}})
		w.merge(path+"/status", object{"status": status})
	case 3, 4:
		spec := object{"resources": storage()}
		w.some(spec, 8, "storageClassName", one[any](w, "s1-"+w.name, nil))
		w.some(spec, 8, "volumeName", "v1-"+w.name)
		w.some(spec, 8, "volumeAttributesClassName", one[any](w, "b", nil))
		w.merge(path, object{"spec": spec})
	case 5:
		w.merge(path, object{"metadata": object{"finalizers": one[any](w, nil, []any{"example.com/a"})}})
	}
}

func (w *world) writeVolume() {
	spec := object{"capacity": object{"storage": one(w, "1Gi", "2Gi")}, "accessModes": []any{"ReadWriteOnce"}, "hostPath": object{"path": "/p"}}
	if w.in(2) {
		claim := object{"namespace": w.name, "name": one(w, "c0", "c1")}
		w.some(claim, 2, "uid", refer("UID", w.path("v1", "persistentvolumeclaims")+"/c0"))
		spec["claimRef"] = claim
	}
	w.some(spec, 2, "storageClassName", "s0-"+w.name)
	w.some(spec, 3, "persistentVolumeReclaimPolicy", one(w, "Delete", "Retain"))
	name := one(w, "v0", "v1")
	if w.in(3) {
		status := object{"phase": one(w, "Bound", "Available", "Released", "Released", "Failed")}
		w.patch(mergePatchType, "/api/v1/persistentvolumes/"+name+"-"+w.name+"/status", w.dryRun(), object{"status": status})
		return
	}
	w.setting("v1", "persistentvolumes", "PersistentVolume", name, object{"spec": spec})
}

func (w *world) writePriority() {
	out := object{"value": one(w, 0, 10, 10, 1000)}
	w.some(out, 3, "globalDefault", w.in(2))
	w.some(out, 3, "preemptionPolicy", one(w, "Never", "PreemptLowerPriority"))
	w.setting("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", one(w, "p0", "p1"), out)
}

func (w *world) writeRuntimeClass() {
	out := object{"handler": one(w, "h", "h", "g")}
	w.some(out, 2, "overhead", object{"podFixed": one(w, object{"cpu": "100m"}, object{"cpu": "250m", "memory": "64Mi"}, object{})})
	w.some(out, 2, "scheduling", object{"nodeSelector": object{"a": "v"}})
	w.setting("node.k8s.io/v1", "runtimeclasses", "RuntimeClass", "r0", out)
}

// limitedPod writes a pod, to which limits, quotas and classes apply.
func (w *world) limitedPod() {
	name := one(w, "a", "b", "c", "d")
	path := w.path("v1", "pods") + "/" + name
	if w.in(3) {
		switch w.random.IntN(4) {
		case 0:
			w.patch(strategicPatchType, path+"/resize", w.dryRun(), object{"spec": object{"containers": []any{object{"name": "c0", "resources": w.plainResources()}}}})
		case 1:
			w.merge(path+"/status", object{"status": object{"phase": one(w, "Succeeded", "Running", "Failed")}})
		case 2:
			w.merge(path, object{"spec": object{"activeDeadlineSeconds": one(w, 5, 10)}})
		default:
			w.send(http.MethodDelete, path, "gracePeriodSeconds=0", nil)
		}
		return
	}
	spec := object{"containers": w.list(1, 2, func(i int) any {
		return object{"name": fmt.Sprintf("c%d", i), "image": "i", "resources": w.plainResources()}
	})}
	w.some(spec, 3, "priorityClassName", one(w, "p0-"+w.name, "p1-"+w.name))
	w.some(spec, 3, "runtimeClassName", "r0-"+w.name)
	w.some(spec, 4, "serviceAccountName", one(w, "robot", "robot", "other"))
	w.some(spec, 4, "activeDeadlineSeconds", 10)
	w.some(spec, 6, "overhead", object{"cpu": "100m"})
	w.some(spec, 10, "priority", one(w, 0, 10))
	w.some(spec, 6, "volumes", []any{object{"name": "v", "ephemeral": object{"volumeClaimTemplate": object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}}}}}}})
	w.some(spec, 6, "resourceClaims", []any{object{"name": "r", "resourceClaimName": "x0"}})
	w.send(http.MethodPost, w.path("v1", "pods"), w.dryRun(), object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name}, "spec": spec})
}

func (w *world) plainResources() object {
	out := object{}
	w.some(out, 2, "requests", object{"cpu": one(w, "100m", "0.5", "1"), "memory": one(w, "64Mi", "1Gi")})
	w.some(out, 3, "limits", object{"cpu": one(w, "1", "2", "1500m"), "memory": one(w, "1Gi", "2Gi")})
	return out
}

// countedNames are names in quotas that several writes of a case use.
var countedNames = [][3]string{{"pods", "3", "1"}, {"requests.cpu", "2", "500m"}, {"limits.memory", "4Gi", "1Gi"}, {"count/pods", "4", "2"}, {"persistentvolumeclaims", "2", "1"}, {"requests.storage", "4Gi", "1Gi"},
	{"services", "2", "0"}, {"services.nodeports", "2", "1"}, {"services.loadbalancers", "1", "0"}, {"count/configmaps", "2", "0"}, {"secrets", "1", "0"}, {"count/ingresses.networking.k8s.io", "1", "0"},
	{"count/resourceclaims.resource.k8s.io", "1", "0"}, {"count/leases.coordination.k8s.io", "1", "0"}, {"count/serviceaccounts", "2", "1"}, {"count/deployments.apps", "1", "0"}}

// writeQuota writes the quota of the namespace or its status; admission reads the latter.
func (w *world) writeQuota() {
	path := w.path("v1", "resourcequotas") + "/q"
	hard, used := object{}, object{}
	for range 1 + w.random.IntN(4) {
		each := one(w, countedNames...)
		hard[each[0]], used[each[0]] = each[1], one(w, "0", each[2])
	}
	spec := object{"hard": hard}
	for _, name := range []string{"pods", "requests.cpu"} {
		if _, ok := hard[name]; ok && len(hard) == 1 {
			w.scope(spec)
		}
	}
	switch w.random.IntN(6) {
	case 0, 1, 2:
		w.send(http.MethodPost, w.path("v1", "resourcequotas"), "", object{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": object{"name": "q"}, "spec": spec})
		w.patch(mergePatchType, path+"/status", "", object{"status": object{"hard": hard, "used": used}})
	case 3:
		w.patch(mergePatchType, path, w.dryRun(), object{"spec": spec})
	case 4:
		status := object{"used": used}
		w.some(status, 2, "hard", hard)
		w.patch(mergePatchType, path+"/status", "", object{"status": status})
	case 5:
		w.send(http.MethodDelete, path, "", nil)
	}
	w.settle(200)
}

func (w *world) writeLimitRange() {
	path := w.path("v1", "limitranges")
	switch w.random.IntN(3) {
	case 0:
		w.send(http.MethodPost, path, "", w.limitRange())
	case 1:
		w.patch(mergePatchType, path+"/l", "", w.limitRange())
	case 2:
		w.send(http.MethodDelete, path+"/l", "", nil)
	}
	w.settle(120)
}

func (w *world) writeAccount() {
	name := one(w, "default", "robot", "robot")
	out := object{}
	w.some(metadata(out), 4, "annotations", object{"kubernetes.io/enforce-mountable-secrets": one(w, "true", "false")})
	w.some(out, 3, "imagePullSecrets", []any{object{"name": "pull"}})
	w.some(out, 3, "secrets", []any{object{"name": "known"}})
	w.some(out, 4, "automountServiceAccountToken", w.in(2))
	w.local("v1", "serviceaccounts", "ServiceAccount", name, out)
	w.settle(120)
}

func (w *world) writeIngress() {
	if w.in(2) {
		out := object{"spec": object{"controller": one(w, "c.example.com/c", "c.example.com/c", "d")}}
		w.some(metadata(out), 2, "annotations", object{"ingressclass.kubernetes.io/is-default-class": one(w, "true", "true", "false")})
		w.setting("networking.k8s.io/v1", "ingressclasses", "IngressClass", one(w, "i0", "i1"), out)
		return
	}
	spec := object{"defaultBackend": object{"service": object{"name": "s", "port": object{"number": 80}}}}
	w.some(spec, 4, "ingressClassName", one(w, "i0-"+w.name, "absent"))
	out := object{"spec": spec}
	w.some(metadata(out), 6, "annotations", object{"kubernetes.io/ingress.class": "x"})
	w.local("networking.k8s.io/v1", "ingresses", "Ingress", one(w, "g0", "g1"), out)
}

func (w *world) writeResourceClaim() {
	const version = "resource.k8s.io/v1"
	name := one(w, "x0", "x1")
	path := w.path(version, "resourceclaims") + "/" + name
	switch w.random.IntN(6) {
	case 0:
		out := object{"spec": object{"selectors": []any{object{"cel": object{"expression": one(w, "device.driver == 'd.example.com'", "true")}}}}}
		w.setting(version, "deviceclasses", "DeviceClass", "d0", out)
	case 1, 2:
		w.local(version, "resourceclaims", "ResourceClaim", name, object{"spec": object{"devices": object{"requests": []any{object{"name": "q", "exactly": object{"deviceClassName": "d0-" + w.name, "count": one(w, 1, 2), "allocationMode": "ExactCount"}}}}}})
	case 3:
		w.merge(path+"/status", object{"status": object{"allocation": one[any](w, nil, object{"devices": object{"results": []any{object{"request": one(w, "q", "q", "z"), "driver": "d.example.com", "pool": "p", "device": one(w, "a", "b")}}}})}})
	case 4:
		pod := one(w, "a", "b")
		w.merge(path+"/status", object{"status": object{"reservedFor": one[any](w, nil, []any{object{"resource": "pods", "name": pod, "uid": refer("UID", w.path("v1", "pods")+"/"+pod)}})}})
	case 5:
		w.merge(path+"/status", object{"status": object{"devices": []any{object{"driver": "d.example.com", "pool": "p", "device": one(w, "a", "b"), "conditions": []any{}}}}})
	}
}

// signingRequest is a request for a certificate.
const signingRequest = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITE1ISUNBUUF3RURFT01Bd0dBMVVFQXd3RmNtOWliM1F3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFSV0owK3VPTVZBSW1IRGsrckQ3QVZDVHBzQngxOEhPSmpXRytkV0d0dTdSaCs1cW5DempuZUlOVE9MCkZlQnFqRElXeUladlFDYzNOWitTaHZYTHVZRnNvQUF3Q2dZSUtvWkl6ajBFQXdJRFNRQXdSZ0loQUxlRzFXSnkKRlhSSndWcm85TFRVc2FRckhtWmFUeXdOeTVodmRNYU5sbEJ1QWlFQW9ranhhTDRwOWEwb3lrYkFaT0NpQ09jNQpTbzhtTm5uVWJoakFwdjA3c3d3PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K"

// writeSigning writes a CertificateSigningRequest: its approval and its certificate.
func (w *world) writeSigning() {
	const version = "certificates.k8s.io/v1"
	path := prefix(version) + "/certificatesigningrequests"
	name := one(w, "k0", "k1") + "-" + w.name
	condition := func() any {
		return object{"type": one(w, "Approved", "Denied", "Failed", "X"), "status": one(w, "True", "True", "True", "False"), "reason": "R", "message": one(w, "", "m")}
	}
	switch w.random.IntN(5) {
	case 0:
		spec := object{"request": signingRequest, "signerName": one(w, "example.com/s", "kubernetes.io/kube-apiserver-client", "kubernetes.io/kubelet-serving"), "usages": []any{"client auth"}}
		w.some(spec, 3, "expirationSeconds", one(w, 600, 3600, 60))
		w.shared = append(w.shared, path+"/"+name)
		w.send(http.MethodPost, path, w.dryRun(), object{"apiVersion": version, "kind": "CertificateSigningRequest", "metadata": object{"name": name}, "spec": spec})
	case 1, 2:
		w.patch(one(w, mergePatchType, strategicPatchType), path+"/"+name+"/approval", w.dryRun(), object{"status": object{"conditions": w.list(0, 2, func(int) any { return condition() })}})
	case 3:
		w.patch(mergePatchType, path+"/"+name+"/status", w.dryRun(), object{"status": object{"conditions": w.list(0, 1, func(int) any { return condition() }), "certificate": one[any](w, nil, "eA==")}})
	case 4:
		w.patch(mergePatchType, path+"/"+name, w.dryRun(), object{"metadata": object{"labels": object{"l": one(w, "1", "2")}}, "spec": one(w, object{}, object{"signerName": "example.com/t"})})
	}
}

// counted writes an object of a kind that quotas count.
func (w *world) counted() {
	name := one(w, "o0", "o1", "o2")
	switch w.random.IntN(6) {
	case 0:
		spec := object{"type": one(w, "ClusterIP", "NodePort", "LoadBalancer"), "ports": w.list(1, 2, func(i int) any { return object{"name": fmt.Sprintf("p%d", i), "port": 80 + i} })}
		w.shared = append(w.shared, w.path("v1", "services")+"/"+name)
		w.local("v1", "services", "Service", name, object{"spec": spec})
	case 1:
		w.local("v1", "configmaps", "ConfigMap", name, object{"data": object{"a": "b"}})
	case 2:
		w.local("v1", "secrets", "Secret", one(w, name, "known", "pull"), object{"stringData": object{"a": "b"}})
	case 3:
		w.local("coordination.k8s.io/v1", "leases", "Lease", name, object{"spec": object{"holderIdentity": one(w, "a", "b")}})
	case 4:
		spec := object{"selector": object{"matchLabels": object{"x": "1"}}, "template": object{"metadata": object{"labels": object{"x": "1"}}, "spec": object{"containers": []any{object{"name": "c", "image": "i"}}}}}
		w.local("apps/v1", "deployments", "Deployment", name, object{"spec": spec})
	case 5:
		w.patch(mergePatchType, w.path("v1", "services")+"/"+name, w.dryRun(), object{"spec": object{"type": one(w, "ClusterIP", "NodePort", "LoadBalancer")}})
	}
}
