package main

import "fmt"

// amounts returns amounts of some resources, each once in about as many times as odds; pod is set for
// those of the pod itself.
func (w *world) amounts(odds int, pod bool) object {
	out := object{}
	w.some(out, odds, "cpu", one(w, "100m", "250m", "0.5", "1", "2", "1500m", "0", "1e-1"))
	w.some(out, odds, "memory", one(w, "64Mi", "128Mi", "1Gi", "500M", "0", "1000000", "2Gi", "100.5Mi"))
	if !pod {
		w.some(out, 2*odds, "ephemeral-storage", one(w, "1Gi", "100Mi", "10Gi", "500M"))
		w.some(out, 5*odds, "example.com/gpu", one(w, "1", "2"))
	}
	w.some(out, 6*odds, "hugepages-2Mi", one(w, "2Mi", "4Mi"))
	return out
}

// resources returns the requests and limits of a container or pod, mostly valid.
func (w *world) resources(pod bool) object {
	out := object{}
	if !w.in(3) {
		out["limits"] = w.amounts(2, pod)
	}
	if !w.in(3) {
		out["requests"] = w.amounts(2, pod)
	}
	if limits, ok := out["limits"].(object); ok && !w.in(4) {
		requests := object{}
		for k, v := range limits {
			switch {
			case k == "hugepages-2Mi" || k == "example.com/gpu" || w.in(4):
				requests[k] = v
			case k == "cpu":
				requests[k] = one(w, "50m", "100m", "1", "10m")
			case k == "memory":
				requests[k] = one(w, "32Mi", "64Mi", "1M")
			case k == "ephemeral-storage":
				requests[k] = one(w, "10Mi", "100Mi")
			}
		}
		out["requests"] = requests
	}
	return out
}

func (w *world) securityContext(pod bool) object {
	out := object{}
	w.some(out, 2, "runAsNonRoot", !w.in(4))
	w.some(out, 6, "runAsUser", one(w, 0, 1000))
	if w.in(2) {
		out["seccompProfile"] = one(w, object{"type": "RuntimeDefault"}, object{"type": "Unconfined"}, object{"type": "Localhost", "localhostProfile": "p"}, object{"type": "RuntimeDefault"})
	}
	w.some(out, 8, "seLinuxOptions", one(w, object{"type": "container_t"}, object{"type": "spc_t"}, object{"user": "u"}, object{"level": "s0"}, object{"role": "r"}, object{"type": "container_engine_t"}))
	w.some(out, 8, "appArmorProfile", one(w, object{"type": "RuntimeDefault"}, object{"type": "Unconfined"}, object{"type": "Localhost", "localhostProfile": "p"}))
	w.some(out, 10, "windowsOptions", one(w, object{"hostProcess": true}, object{"runAsUserName": "u"}, object{}))
	if pod {
		w.some(out, 8, "sysctls", []any{object{"name": one(w, "kernel.shm_rmid_forced", "net.ipv4.ip_unprivileged_port_start", "kernel.msgmax", "net.ipv4.tcp_rmem", "net.ipv4.tcp_keepalive_time"), "value": "1"}})
		return out
	}
	if w.in(2) {
		out["capabilities"] = one(w, object{"drop": []any{"ALL"}}, object{"drop": []any{"ALL"}, "add": []any{"NET_BIND_SERVICE"}},
			object{"add": []any{"CHOWN"}}, object{"add": []any{"SYS_ADMIN", "NET_RAW"}}, object{"drop": []any{"NET_RAW"}}, object{"drop": []any{"ALL"}}, object{"drop": []any{"ALL"}})
	}
	w.some(out, 2, "allowPrivilegeEscalation", w.in(4))
	w.some(out, 12, "privileged", w.in(2))
	w.some(out, 12, "procMount", one(w, "Default", "Unmasked"))
	w.some(out, 8, "readOnlyRootFilesystem", true)
	return out
}

func (w *world) container(name string) object {
	out := object{"name": name, "image": "i"}
	if !w.in(4) {
		out["resources"] = w.resources(false)
	}
	if w.in(2) {
		out["securityContext"] = w.securityContext(false)
	}
	w.some(out, 10, "ports", []any{object{"containerPort": 80, "hostPort": one(w, 0, 8080)}})
	w.some(out, 10, "env", []any{object{"name": "E", "valueFrom": object{"secretKeyRef": object{"name": one(w, "known", "other"), "key": "k"}}}})
	w.some(out, 12, "envFrom", []any{object{"secretRef": object{"name": one(w, "known", "other")}}})
	w.some(out, 12, "livenessProbe", one(w, object{"httpGet": object{"port": 80, "host": "127.0.0.1"}}, object{"tcpSocket": object{"port": 80, "host": "h"}}, object{"tcpSocket": object{"port": 80}}))
	w.some(out, 20, "lifecycle", object{"postStart": object{"httpGet": object{"port": 80, "host": one(w, "h", "localhost", "")}}})
	w.some(out, 16, "volumeMounts", []any{object{"name": "v0", "mountPath": one(w, "/data", "/var/run/secrets/kubernetes.io/serviceaccount")}})
	return out
}

func (w *world) volume(i int) any {
	out := one(w, object{"emptyDir": object{}}, object{"hostPath": object{"path": "/p"}}, object{"configMap": object{"name": "c"}}, object{"secret": object{"secretName": "known"}},
		object{"secret": object{"secretName": "other"}}, object{"nfs": object{"server": "s", "path": "/p"}}, object{"csi": object{"driver": "d.example.com"}},
		object{"projected": object{"sources": []any{object{"secret": object{"name": "other"}}}}}, object{"ephemeral": object{"volumeClaimTemplate": object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}}}}}},
		object{"gcePersistentDisk": object{"pdName": "p"}}, object{"iscsi": object{"targetPortal": "1.2.3.4", "iqn": "iqn.2001-04.com.example:a", "lun": 0}}, object{"image": object{"reference": "r"}},
		object{"downwardAPI": object{"items": []any{object{"path": "l", "fieldRef": object{"fieldPath": "metadata.labels"}}}}})
	out["name"] = fmt.Sprintf("v%d", i)
	return out
}

func (w *world) toleration(int) any {
	out := object{}
	w.some(out, 2, "key", one(w, "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "a", "b"))
	w.some(out, 2, "effect", one(w, "NoExecute", "NoSchedule", "PreferNoSchedule"))
	out["operator"] = one(w, "Exists", "Exists", "Equal")
	if out["operator"] == "Equal" || out["key"] != nil && w.in(2) {
		out["operator"] = "Equal"
		if out["key"] == nil {
			out["key"] = "a"
		}
		w.some(out, 2, "value", one(w, "v", "w"))
		w.some(out, 4, "operator", "")
	}
	if out["effect"] == "NoExecute" {
		w.some(out, 2, "tolerationSeconds", one(w, 0, 10, 300, 1000))
	}
	return out
}

func (w *world) podSpec() object {
	spec := object{"containers": w.list(1, 2, func(i int) any { return w.container(fmt.Sprintf("c%d", i)) })}
	if w.in(3) {
		spec["initContainers"] = w.list(1, 2, func(i int) any {
			c := w.container(fmt.Sprintf("i%d", i))
			w.some(c, 3, "restartPolicy", "Always")
			if c["restartPolicy"] == nil {
				delete(c, "livenessProbe")
				delete(c, "lifecycle")
			}
			return c
		})
	}
	spec["volumes"] = []any{w.volume(0)}
	if w.in(3) {
		spec["volumes"] = append(spec["volumes"].([]any), w.volume(1))
	} else if w.in(2) {
		spec["volumes"] = []any{object{"name": "v0", "emptyDir": object{}}}
	}
	w.some(spec, 6, "resources", w.resources(true))
	if w.in(2) {
		spec["securityContext"] = w.securityContext(true)
	}
	if w.in(2) {
		return spec // most of the others lead to a refusal
	}
	for _, field := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		w.some(spec, 16, field, w.in(2))
	}
	w.some(spec, 12, "hostUsers", w.in(2))
	w.some(spec, 3, "tolerations", w.list(0, 3, w.toleration))
	w.some(spec, 8, "nodeSelector", object{one(w, "a", "b"): one(w, "v", "w")})
	w.some(spec, 6, "nodeName", one(w, "n-"+w.name, "n-"+w.name, "absent"))
	w.some(spec, 4, "priorityClassName", one(w, "p0-"+w.name, "p0-"+w.name, "p1-"+w.name, one(w, "p1-"+w.name, "absent", "system-node-critical")))
	w.some(spec, 16, "priority", one(w, 0, 10, 2000001000))
	w.some(spec, 16, "preemptionPolicy", one(w, "Never", "PreemptLowerPriority"))
	w.some(spec, 4, "runtimeClassName", one(w, "r0-"+w.name, "r0-"+w.name, "r1-"+w.name, "r1-"+w.name, "absent"))
	w.some(spec, 16, "overhead", one(w, object{"cpu": "100m"}, object{"cpu": "0.1"}, object{"memory": "1Mi"}))
	w.some(spec, 4, "serviceAccountName", one(w, "robot", "robot", "robot", "default", "absent"))
	w.some(spec, 16, "serviceAccount", "robot")
	w.some(spec, 8, "automountServiceAccountToken", w.in(2))
	w.some(spec, 10, "imagePullSecrets", []any{object{"name": one(w, "known", "pull")}})
	w.some(spec, 6, "activeDeadlineSeconds", 10)
	w.some(spec, 12, "affinity", object{one(w, "podAffinity", "podAntiAffinity"): object{"requiredDuringSchedulingIgnoredDuringExecution": []any{
		one(w, object{"topologyKey": "t", "namespaces": []any{"x"}}, object{"topologyKey": "t", "namespaceSelector": object{}}, object{"topologyKey": "t", "labelSelector": object{}})}}})
	w.some(spec, 20, "os", object{"name": one(w, "windows", "linux")})
	w.some(spec, 8, "terminationGracePeriodSeconds", one(w, 0, 1))
	return spec
}

func (w *world) pod() object {
	meta := object{}
	w.some(meta, 8, "generateName", "generated-")
	w.some(meta, 12, "annotations", one(w, object{"kubernetes.io/config.mirror": "m"}, object{"container.apparmor.security.beta.kubernetes.io/c0": "unconfined"},
		object{"seccomp.security.alpha.kubernetes.io/pod": "unconfined"}, object{"a": "b"}))
	w.some(meta, 6, "labels", object{"topology.kubernetes.io/zone": "mine"})
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": w.podSpec()}
}

// workload returns a random workload with the path of its resource.
func (w *world) workload() (version, resource string, out object) {
	template := object{"metadata": object{"labels": object{"app": "a"}}, "spec": w.podSpec()}
	delete(template["spec"].(object), "activeDeadlineSeconds")
	selector := object{"matchLabels": object{"app": "a"}}
	switch w.random.IntN(8) {
	case 0:
		return "apps/v1", "deployments", object{"apiVersion": "apps/v1", "kind": "Deployment", "spec": object{"selector": selector, "template": template}}
	case 1:
		return "apps/v1", "replicasets", object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": object{"selector": selector, "template": template}}
	case 2:
		return "apps/v1", "statefulsets", object{"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": object{"selector": selector, "serviceName": "s", "template": template}}
	case 3:
		return "apps/v1", "daemonsets", object{"apiVersion": "apps/v1", "kind": "DaemonSet", "spec": object{"selector": selector, "template": template}}
	case 4:
		template["spec"].(object)["restartPolicy"] = "Never"
		return "batch/v1", "jobs", object{"apiVersion": "batch/v1", "kind": "Job", "spec": object{"template": template}}
	case 5:
		template["spec"].(object)["restartPolicy"] = "Never"
		return "batch/v1", "cronjobs", object{"apiVersion": "batch/v1", "kind": "CronJob", "spec": object{"schedule": "* * * * *", "jobTemplate": object{"spec": object{"template": template}}}}
	case 6:
		return "v1", "replicationcontrollers", object{"apiVersion": "v1", "kind": "ReplicationController", "spec": object{"selector": object{"app": "a"}, "template": template}}
	}
	return "v1", "podtemplates", object{"apiVersion": "v1", "kind": "PodTemplate", "template": template}
}
