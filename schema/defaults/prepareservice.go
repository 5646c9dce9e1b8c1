package defaults

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/ipfamily"
)

// Strategies for the addresses and ports of Services (pkg/registry/core/service/storage).

const headless = "None"

func textOf(v document.Value, key string) string { return v.Get(key).StringOr("") }

func needsAddress(spec document.Value) bool { return textOf(spec, "type") != "ExternalName" }

func needsNodePorts(spec document.Value) bool {
	t := textOf(spec, "type")
	return t == "NodePort" || t == "LoadBalancer"
}

// allocatesNodePorts reports whether a Service gets a node port for each port that has none.
func allocatesNodePorts(spec document.Value) bool {
	allocate, ok := spec.Get("allocateLoadBalancerNodePorts").Bool()
	return needsNodePorts(spec) && (textOf(spec, "type") == "NodePort" || !ok || allocate)
}

func needsHealthPort(spec document.Value) bool {
	return textOf(spec, "type") == "LoadBalancer" && textOf(spec, "externalTrafficPolicy") == "Local"
}

// newService is the create strategy of Services. A Service that is created through its status
// gets no addresses, ports and families.
func newService(v document.Value, q Request) document.Value {
	spec := v.Get("spec")
	if q.Subresource != "" {
		return v.With("spec", withoutInternalPolicy(spec))
	}
	spec = addressed(families(plural(spec), document.Value{}, q.Families), document.Value{}, q)
	return v.With("spec", withoutInternalPolicy(withPorts(spec, q, sharedNodePorts(spec))))
}

// plural sets clusterIPs from clusterIP.
func plural(spec document.Value) document.Value {
	if ip := spec.Get("clusterIP"); textOf(spec, "clusterIP") != "" && spec.Get("clusterIPs").Len() == 0 {
		return spec.With("clusterIPs", document.NewList(ip))
	}
	return spec
}

// storedFamilies sets the IP families of a Service that was stored without them. Those of a
// Service with addresses follow from them alone, whatever families the cluster has.
func storedFamilies(spec document.Value) document.Value {
	ips := spec.Get("clusterIPs")
	switch {
	case !needsAddress(spec) || spec.Get("ipFamilies").Len() > 0:
		return spec
	case ips.Len() == 0 || textOf(spec, "clusterIP") == headless:
		return families(spec, document.Value{}, nil)
	}
	list, policy := document.NewList(), "SingleStack"
	for i, ip := range ips.Items() {
		list = list.Splice(i, 0, document.NewString(ipfamily.Of(ip.StringOr(""))))
	}
	if list.Len() > 1 {
		policy = "RequireDualStack"
	}
	return spec.With("ipFamilies", list).With("ipFamilyPolicy", document.NewString(policy))
}

// withoutInternalPolicy removes the internal traffic policy of a Service of type
// ExternalName, which is not returned. An invalid one is kept for validation.
func withoutInternalPolicy(spec document.Value) document.Value {
	policy := textOf(spec, "internalTrafficPolicy")
	if needsAddress(spec) || policy != "Cluster" && policy != "Local" {
		return spec
	}
	return spec.Without("internalTrafficPolicy")
}

// updatedService is the update strategy of Services: it restores allocated addresses and
// ports that the client omitted, and removes those that a changed type does not need unless
// the client changed them too.
func updatedService(next, live document.Value, q Request) document.Value {
	was := live.Get("spec")
	spec := singular(patched(next.Get("spec"), was), was)
	spec = withPorts(addressed(families(spec, was, q.Families), was, q), q, nil)
	if textOf(spec, "type") != "LoadBalancer" {
		next = next.Set(document.NewObject(), "status", "loadBalancer")
	}
	return next.With("spec", withoutInternalPolicy(needless(spec, was)))
}

// families defaults ipFamilyPolicy and ipFamilies in a cluster with the given IP families, nil for IPv4. What is
// invalid is left to validation.
func families(spec, was document.Value, cluster []string) document.Value {
	if !needsAddress(spec) || ipfamily.Kept(spec, was) {
		return spec
	}
	if len(cluster) == 0 {
		cluster = []string{ipfamily.IPv4}
	}
	open := textOf(spec, "clusterIP") == headless && spec.Get("selector").Len() == 0
	if !spec.Get("ipFamilyPolicy").Exists() {
		policy := was.Get("ipFamilyPolicy")
		switch {
		case policy.Exists():
		case open:
			policy = document.NewString("RequireDualStack")
		default:
			policy = document.NewString("SingleStack")
		}
		spec = spec.With("ipFamilyPolicy", policy)
	}
	single := textOf(spec, "ipFamilyPolicy") == "SingleStack"
	if single && was.Exists() {
		spec = onlyFirst(spec, was, "clusterIPs")
		spec = onlyFirst(spec, was, "ipFamilies")
	}
	list := spec.Get("ipFamilies").Strings()
	for i, ip := range spec.Get("clusterIPs").Strings() {
		if ip == headless || i >= len(list) && !slices.Contains(cluster, ipfamily.Of(ip)) {
			break
		}
		if i >= len(list) {
			list = append(list, ipfamily.Of(ip))
		}
	}
	if ip := textOf(spec, "clusterIP"); len(list) == 0 && (ip == "" || ip == headless || slices.Contains(cluster, ipfamily.Of(ip))) {
		list = cluster[:1:1]
	}
	if !single && len(list) == 1 && (open || len(cluster) == 2) {
		list = append(list, ipfamily.Other(list[0]))
	}
	return spec.With("ipFamilies", document.NewStrings(list...))
}

// onlyFirst truncates an unchanged list to its first item.
func onlyFirst(spec, was document.Value, key string) document.Value {
	if list := spec.Get(key); list.Len() > 1 && document.Equal(list, was.Get(key)) {
		return spec.With(key, document.NewList(list.At(0)))
	}
	return spec
}

// addressed allocates the addresses that a Service needs: one of each of its IP families if it had none, or the second
// one if it had one family, also if it becomes headless. It is unchanged if an address cannot be allocated, and if its
// addresses and families are not valid; validation refuses all of these.
func addressed(spec, was document.Value, q Request) document.Value {
	ips, list := spec.Get("clusterIPs").Strings(), spec.Get("ipFamilies").Strings()
	begins := !was.Exists() || !needsAddress(was)
	switch {
	case q.ClusterIP == nil || !needsAddress(spec) || len(ips) >= len(list),
		begins && textOf(spec, "clusterIP") == headless || textOf(was, "clusterIP") == headless,
		!begins && was.Get("ipFamilies").Len() != 1,
		!fitting(spec, ips, list):
		return spec
	}
	for _, family := range list[len(ips):] {
		ip := q.ClusterIP(family)
		if ip == "" {
			return spec
		}
		ips = append(ips, ip)
	}
	return spec.With("clusterIP", document.NewString(ips[0])).With("clusterIPs", document.NewStrings(ips...))
}

// fitting reports whether the addresses and the IP families of a Service are valid together.
func fitting(spec document.Value, ips, list []string) bool {
	for i, ip := range ips {
		if ip != headless && ipfamily.Of(ip) != list[i] {
			return false
		}
	}
	if first := textOf(spec, "clusterIP"); (first != "") != (len(ips) > 0) || first != "" && first != ips[0] {
		return false
	}
	return len(list) == 1 || len(list) == 2 && list[0] != list[1] && textOf(spec, "ipFamilyPolicy") != "SingleStack"
}

// withPorts allocates the node ports that a Service needs. In a new Service, ports with the same number share a node
// port: the one that shared maps the number to, or else the one that is allocated for the first of them. In an update,
// for which shared is nil, each port gets its own.
func withPorts(spec document.Value, q Request, shared map[string]document.Value) document.Value {
	if q.NodePort == nil || !needsNodePorts(spec) {
		return spec
	}
	if allocatesNodePorts(spec) {
		named := nodePorts(spec)
		spec = eachIn(spec, []string{"ports"}, func(p document.Value) document.Value {
			if p.Get("nodePort").Exists() {
				return p
			}
			number := p.Get("port").NumberText()
			given := shared[number]
			if !given.Exists() {
				given = nextPort(q, named)
			}
			if shared != nil {
				shared[number] = given
			}
			return p.With("nodePort", given)
		})
	}
	if needsHealthPort(spec) && !spec.Get("healthCheckNodePort").Exists() {
		spec = spec.With("healthCheckNodePort", nextPort(q, nodePorts(spec)))
	}
	return spec
}

// sharedNodePorts returns the first node port that is requested for each port number.
func sharedNodePorts(spec document.Value) map[string]document.Value {
	shared := map[string]document.Value{}
	for _, p := range spec.Get("ports").Items() {
		number, given := p.Get("port").NumberText(), p.Get("nodePort")
		if given.Exists() && !shared[number].Exists() {
			shared[number] = given
		}
	}
	return shared
}

// nextPort allocates a port that the Service does not use explicitly; absent if none is
// left.
func nextPort(q Request, named map[string]bool) document.Value {
	for range len(named) + 1 {
		n := q.NodePort()
		if n == 0 {
			break
		}
		if port := document.NewInt(n); !named[port.NumberText()] {
			return port
		}
	}
	return document.Value{}
}

// patched restores addresses and ports that an update omitted. Node ports of load balancers for
// which none are allocated are not restored, so that clients can give them up.
func patched(spec, was document.Value) document.Value {
	if needsAddress(was) && needsAddress(spec) {
		if textOf(spec, "clusterIP") == "" {
			spec = spec.With("clusterIP", was.Get("clusterIP"))
		}
		if spec.Get("clusterIPs").Len() == 0 {
			spec = spec.With("clusterIPs", was.Get("clusterIPs"))
		}
	}
	if allocatesNodePorts(was) && allocatesNodePorts(spec) {
		old, used, byName := nodePorts(was), nodePorts(spec), map[string]document.Value{}
		for _, p := range was.Get("ports").Items() {
			byName[textOf(p, "name")] = p.Get("nodePort")
		}
		spec = eachIn(spec, []string{"ports"}, func(p document.Value) document.Value {
			number := byName[textOf(p, "name")]
			if taken := old[number.NumberText()] && used[number.NumberText()]; p.Get("nodePort").Exists() || !number.Exists() || taken {
				return p
			}
			return p.With("nodePort", number)
		})
	}
	if needsHealthPort(was) && needsHealthPort(spec) && !spec.Get("healthCheckNodePort").Exists() {
		spec = spec.With("healthCheckNodePort", was.Get("healthCheckNodePort"))
	}
	return spec
}

func nodePorts(spec document.Value) map[string]bool {
	numbers := map[string]bool{}
	for _, p := range spec.Get("ports").Items() {
		if n := p.Get("nodePort"); n.Exists() {
			numbers[n.NumberText()] = true
		}
	}
	return numbers
}

// singular sets clusterIPs from a clusterIP that was changed alone.
func singular(spec, was document.Value) document.Value {
	if spec.Get("clusterIPs").Len() == 0 && textOf(spec, "clusterIP") == textOf(was, "clusterIP") {
		spec = spec.With("clusterIPs", was.Get("clusterIPs"))
	}
	if ip := spec.Get("clusterIP"); textOf(spec, "clusterIP") != textOf(was, "clusterIP") && document.Equal(spec.Get("clusterIPs"), was.Get("clusterIPs")) {
		if textOf(spec, "clusterIP") == "" {
			return spec.Without("clusterIPs")
		}
		return spec.With("clusterIPs", document.NewList(ip))
	}
	return spec
}

// needless removes fields that the old type needed and the new one does not, unless the
// client changed them (dropTypeDependentFields).
func needless(spec, was document.Value) document.Value {
	drop := func(keys ...string) {
		for _, key := range keys {
			if !document.Equal(spec.Get(key), was.Get(key)) {
				return
			}
		}
		for _, key := range keys {
			spec = spec.Without(key)
		}
	}
	if needsAddress(was) && !needsAddress(spec) {
		drop("clusterIP", "clusterIPs")
		drop("ipFamilies")
		drop("ipFamilyPolicy")
	}
	if needsNodePorts(was) && !needsNodePorts(spec) && within(nodePorts(spec), nodePorts(was)) {
		spec = eachIn(spec, []string{"ports"}, func(p document.Value) document.Value { return p.Without("nodePort") })
	}
	if needsHealthPort(was) && !needsHealthPort(spec) {
		drop("healthCheckNodePort")
	}
	if textOf(was, "type") == "LoadBalancer" && textOf(spec, "type") != "LoadBalancer" {
		drop("allocateLoadBalancerNodePorts")
		drop("loadBalancerClass")
	}
	if reachable(was) && !reachable(spec) {
		drop("externalTrafficPolicy")
	}
	return spec
}

func within(a, b map[string]bool) bool {
	for key := range a {
		if !b[key] {
			return false
		}
	}
	return true
}

// reachable reports whether a Service is accessible from outside the cluster.
func reachable(spec document.Value) bool {
	return needsNodePorts(spec) || textOf(spec, "type") == "ClusterIP" && spec.Get("externalIPs").Len() > 0
}
