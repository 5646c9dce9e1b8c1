package main

import (
	"fmt"
	"net/http"
)

// services generates Services of all types in two namespaces that compete for cluster IPs and node ports.
func (w *world) services() {
	for _, ns := range []string{w.name, w.name + "-2"} {
		w.namespace(ns)
	}
	for _, ns := range []string{w.name, w.name + "-2"} {
		for _, name := range []string{"a", "b", "c"} {
			w.shared = append(w.shared, w.servicePath(ns)+"/"+name)
		}
	}
	for range 14 + w.random.IntN(20) {
		w.writeService()
	}
	for _, ns := range []string{w.name, w.name + "-2"} {
		w.send(http.MethodGet, w.servicePath(ns), "", nil)
	}
}

// families generates such Services whose IP families change, too, for servers with the ranges 10.0.0.0/24 and fd00:10::/112.
func (w *world) families() {
	w.bothFamilies = true
	w.services()
}

// namespace creates a namespace that is deleted at the end.
func (w *world) namespace(name string) {
	w.send(http.MethodPost, "/api/v1/namespaces", "", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name}})
	w.shared = append(w.shared, "/api/v1/namespaces/"+name)
}

func (w *world) servicePath(ns string) string { return "/api/v1/namespaces/" + ns + "/services" }

// clusterIP is an IP that a Service may request, mostly one that others request, too.
func (w *world) clusterIP() string {
	if w.bothFamilies && w.in(2) {
		return one(w, "fd00:10::2", "fd00:10::3", "FD00:10::2", one(w, "fd00:10::", "fd00:10::ffff", "fd00:10::1:0", "fd00:10:0:0:0:0:0:3", "fd00::1", "x"))
	}
	return one(w, "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.2", "10.0.0.3", "None", one(w, "", "10.0.0.1", "10.0.0.0", "10.0.0.255", "10.1.0.9", "fd00::1", "x", "10.0.0.5"))
}

// nodePort is a port that a Service may request, mostly one that others of the case request, too. Other cases have other
// ports, because kube-apiserver keeps some ports of Services that were refused.
func (w *world) nodePort() int {
	first := 30000 + w.number%460*6
	return one(w, first, first+2, first+4, first, first+2, one(w, 0, first+4, 29999, 32768))
}

func (w *world) servicePort(i int) any {
	out := object{"name": fmt.Sprintf("p%d", i), "port": 80 + i}
	w.some(out, 10, "port", 81)
	w.some(out, 3, "protocol", one(w, "UDP", "TCP", "SCTP"))
	w.some(out, 3, "nodePort", w.nodePort())
	w.some(out, 40, "name", "P!")
	return out
}

// serviceSpec returns some fields of a Service's spec.
func (w *world) serviceSpec(odds int) object {
	out := object{}
	w.some(out, odds, "type", one(w, "ClusterIP", "NodePort", "NodePort", "LoadBalancer", "ExternalName"))
	if out["type"] == "ExternalName" {
		out["externalName"] = "example.com"
		if w.in(3) {
			return out
		}
	}
	w.some(out, 2, "ports", w.list(1, 3, w.servicePort))
	w.some(out, 4, "clusterIP", w.clusterIP())
	if w.in(6) {
		out["clusterIPs"] = w.list(1, 1+w.random.IntN(2), func(int) any { return w.clusterIP() })
		if w.in(2) {
			out["clusterIP"] = out["clusterIPs"].([]any)[0]
		}
	}
	if w.in(5) {
		out["externalTrafficPolicy"] = one(w, "Local", "Local", "Cluster")
		if out["type"] != "NodePort" {
			out["type"] = "LoadBalancer"
		}
		w.some(out, 2, "healthCheckNodePort", w.nodePort())
	}
	w.some(out, 25, "healthCheckNodePort", w.nodePort())
	if w.bothFamilies {
		w.some(out, 2, "ipFamilyPolicy", one(w, "SingleStack", "PreferDualStack", "PreferDualStack", "RequireDualStack"))
		w.some(out, 4, "ipFamilies", one(w, []any{"IPv4"}, []any{"IPv6"}, []any{"IPv4", "IPv6"}, []any{"IPv6", "IPv4"}, []any{"IPv4", "IPv4"}))
	} else {
		w.some(out, 8, "ipFamilyPolicy", one(w, "SingleStack", "SingleStack", "PreferDualStack", one(w, "PreferDualStack", "RequireDualStack")))
		w.some(out, 20, "ipFamilies", one(w, []any{"IPv4"}, []any{"IPv6"}, []any{"IPv4", "IPv6"}))
	}
	if out["type"] == "LoadBalancer" || w.in(20) {
		w.some(out, 3, "allocateLoadBalancerNodePorts", w.in(3))
	}
	w.some(out, 2, "selector", object{"a": "b"})
	w.some(out, 12, "sessionAffinity", one(w, "ClientIP", "None"))
	w.some(out, 30, "externalIPs", one(w, []any{"1.2.3.4"}, []any{"x"}))
	w.some(out, 30, "internalTrafficPolicy", one(w, "Local", "x"))
	return out
}

// serviceChange returns a merge patch of a Service's spec; null releases a value.
func (w *world) serviceChange() object {
	out := w.serviceSpec(2)
	for _, key := range []string{"clusterIP", "clusterIPs", "healthCheckNodePort", "externalName", "ipFamilies", "ipFamilyPolicy", "externalTrafficPolicy", "allocateLoadBalancerNodePorts"} {
		if w.in(12) {
			out[key] = nil
		}
	}
	return out
}

func (w *world) writeService() {
	ns, name := one(w, w.name, w.name, w.name+"-2"), one(w, "a", "b", "c")
	collection := w.servicePath(ns)
	path := collection + "/" + name
	service := func(odds int) object {
		spec := w.serviceSpec(odds)
		if spec["ports"] == nil && spec["type"] != "ExternalName" {
			spec["ports"] = []any{w.servicePort(0)}
		}
		return object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": name}, "spec": spec}
	}
	switch n := w.random.IntN(30); {
	case n < 9:
		w.send(http.MethodPost, collection, w.dryRun(), service(2))
	case n < 12:
		out := service(2)
		w.some(out["metadata"].(object), 4, "resourceVersion", refer("RV", path))
		w.send(http.MethodPut, path, w.dryRun(), out)
	case n < 19:
		w.patch(one(w, mergePatchType, strategicPatchType), path, w.dryRun(), object{"spec": w.serviceChange()})
	case n < 22:
		query := "fieldManager=" + one(w, "m", "n")
		w.extend(&query, 2, "&force=true")
		w.extend(&query, 10, "&dryRun=All")
		w.patch(applyPatchType, path, query, service(2))
	case n < 23:
		w.patch(jsonPatchType, path, w.dryRun(), one(w,
			[]any{object{"op": "remove", "path": "/spec/ports/0/nodePort"}},
			[]any{object{"op": "replace", "path": "/spec/ports/0/nodePort", "value": w.nodePort()}},
			[]any{object{"op": "remove", "path": "/spec/clusterIP"}},
			[]any{object{"op": "remove", "path": "/spec/clusterIP"}, object{"op": "remove", "path": "/spec/clusterIPs"}},
			[]any{object{"op": "replace", "path": "/spec/type", "value": one(w, "ClusterIP", "NodePort", "LoadBalancer")}},
			[]any{object{"op": "add", "path": "/spec/ports/-", "value": w.servicePort(7)}}))
	case n < 26:
		w.send(http.MethodDelete, path, w.dryRun(), nil)
	case n < 27:
		w.send(http.MethodGet, path, "", nil)
	case n < 28:
		w.writeAddress()
	case n < 29:
		w.patch(mergePatchType, path+"/status", w.dryRun(), object{"status": object{"loadBalancer": object{"ingress": []any{object{"ip": one(w, "1.2.3.4", "5.6.7.8")}}}}, "spec": object{"type": "NodePort"}})
	default:
		w.send(http.MethodDelete, collection, w.dryRun(), nil)
	}
}

// writeAddress writes or reads the IPAddress of an IP that Services request.
func (w *world) writeAddress() {
	const collection = "/apis/networking.k8s.io/v1/ipaddresses"
	ip := one(w, "10.0.0.2", "10.0.0.3", "10.0.0.4")
	switch w.random.IntN(4) {
	case 0:
		w.send(http.MethodPost, collection, w.dryRun(), object{"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress", "metadata": object{"name": ip},
			"spec": object{"parentRef": object{"resource": "services", "namespace": w.name, "name": "a"}}})
		w.shared = append(w.shared, collection+"/"+ip)
	case 1:
		w.send(http.MethodDelete, collection+"/"+ip, "dryRun=All", nil) // kube-apiserver restores that of a Service after a while
	default:
		w.send(http.MethodGet, collection+"/"+ip, "", nil)
	}
}

// extend appends to a text once in n times.
func (w *world) extend(text *string, n int, more string) {
	if w.in(n) {
		*text += more
	}
}
