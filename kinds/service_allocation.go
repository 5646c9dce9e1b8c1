//go:build !js

package kinds

import (
	"slices"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/ipfamily"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// configured refuses a Service that requires two IP families, or one that the cluster does
// not have. asked are the families that the client has sent. A headless Service without a selector may have any families.
func (c *check) configured(spec, asked field, given *Given) {
	policy, ips, families := spec.get("ipFamilyPolicy"), spec.get("clusterIPs"), spec.get("ipFamilies")
	if policy.text() == "SingleStack" {
		if ips.items() == 2 {
			c.invalid(policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified")
		}
		if families.items() == 2 && asked.items() == 2 {
			c.invalid(policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified")
		}
	}
	for i := families.items(); i < ips.items(); i++ {
		if ip := ips.item(i); ip.text() != "None" && !given.has(ipfamily.Of(ip.text())) {
			c.invalidValue(ip, ips.Value, ipfamily.Of(ip.text())+" is not configured on this cluster")
		}
	}
	if len(c.errs) > 0 || spec.get("clusterIP").text() == "None" && spec.get("selector").isEmpty() {
		return
	}
	if policy.text() == "RequireDualStack" && len(given.Families) < 2 {
		c.invalid(policy, "this cluster is not configured for dual-stack services")
	}
	for i := range families.items() {
		if family := families.item(i); !given.has(family.text()) {
			c.invalid(family, "not configured on this cluster")
		}
	}
}

// has reports whether the cluster has an IP family.
func (g *Given) has(family string) bool {
	return slices.Contains(g.Families, family) || g.Families == nil && family == ipfamily.IPv4
}

// freeAddresses requires that the requested IPs and node ports can be allocated, up to the
// first one that cannot.
func (c *check) freeAddresses(asked, spec field, old document.Value, given *Given) {
	if !c.freeIPs(asked, spec, old, given) {
		return
	}
	ports := portCheck{check: c, given: given, taken: map[int64]bool{}}
	if among(spec.get("type").text(), "LoadBalancer,NodePort") && !ports.free(asked.get("ports"), old) {
		return
	}
	if port := asked.get("healthCheckNodePort"); port.number() != 0 && checksHealth(spec.Value) && !checksHealth(old.Get("spec")) {
		if why := ports.take(port.number()); why != "" {
			c.internalError(port, "failed to allocate requested HealthCheck NodePort "+strconv.FormatInt(port.number(), 10)+": "+why)
		}
	}
}

// checksHealth reports whether a Service has a port for the health checks of its load balancer.
func checksHealth(spec document.Value) bool {
	return spec.Get("type").StringOr("") == "LoadBalancer" && spec.Get("externalTrafficPolicy").StringOr("") == "Local"
}

// notAllocated reports that the IPAddress of a cluster IP is refused. kube-apiserver names the IP also if
// it has chosen it; the value of clusterIPs is then that before the choice.
func (c *check) notAllocated(requested string, ips field, why string) {
	failed, shown := "failed to allocate IP", ips.Value
	if requested != "" {
		failed += " " + requested
	} else {
		shown = document.NewStrings("")
	}
	c.invalidValue(ips, shown, failed+": IPAddress.networking.k8s.io "+strconv.Quote(ips.item(0).text())+" is invalid: spec.parentRef.name: "+why)
}

// freeIPs requires cluster IPs that are not allocated. From Kubernetes 1.33 on, one is allocated,
// requested or not, by creating an IPAddress that refers to the Service, whose name must be valid
// in a reference. An update allocates IPs only if the Service was of type ExternalName, or has got a second IP family.
func (c *check) freeIPs(asked, spec field, old document.Value, given *Given) bool {
	shown, kept := spec.get("clusterIPs"), 0
	if old.Exists() && old.Lookup("spec", "type").StringOr("") != "ExternalName" {
		if kept = 1; old.Lookup("spec", "ipFamilies").Len() != 1 || spec.get("ipFamilies").items() != 2 {
			return true
		}
	}
	if shown.item(0).text() == "None" {
		return true
	}
	if name := c.object.Lookup("metadata", "name").StringOr(""); !old.Exists() && given.LastPort > 0 && c.kind.Since("1.33") {
		requested := asked.get("clusterIP").text()
		if name == "" {
			c.notAllocated(requested, shown, "Required value")
			return false
		}
		if why := names.PathSegment(name); why != "" {
			c.notAllocated(requested, shown, "Invalid value: "+strconv.Quote(name)+": "+why)
			return false
		}
	}
	free := func(ip string) bool {
		if ip == "" || ip == "None" {
			return true
		}
		why := given.OutOfRange(ip)
		if why == "" {
			if !given.IP(ip) {
				return true
			}
			why = "provided IP is already allocated"
		}
		c.invalid(shown, "failed to allocate IP "+ip+": "+why)
		return false
	}
	ips := asked.get("clusterIPs")
	for i := kept; i < ips.items(); i++ {
		if !free(ips.item(i).text()) {
			return false
		}
	}
	return ips.items() > 0 || kept > 0 || free(asked.get("clusterIP").text())
}

// A portCheck checks the node ports that one Service requests.
type portCheck struct {
	*check
	given *Given
	taken map[int64]bool // by the Service itself
}

// take allocates a node port. It returns why it cannot be allocated, "" if it can.
func (p *portCheck) take(n int64) string {
	switch {
	case p.given.LastPort > 0 && (n < p.given.FirstPort || n > p.given.LastPort):
		return "provided port is not in the valid range. The range of valid ports is " +
			strconv.FormatInt(p.given.FirstPort, 10) + "-" + strconv.FormatInt(p.given.LastPort, 10)
	case p.given.Port(n) || p.taken[n]:
		return "provided port is already allocated"
	}
	p.taken[n] = true
	return ""
}

// free requires that the requested node ports can be allocated. In a new Service, ports with the
// same number (for several protocols) share the first node port that one of them requests. Any
// other node port must be neither allocated, also to the health checks of the Service, nor requested
// by another port of it.
func (p *portCheck) free(list field, old document.Value) bool {
	_, own := serviceAddresses(old.Remove("spec", "healthCheckNodePort"))
	for _, n := range own {
		p.taken[n] = true
	}
	shared, begun := requestedNodePorts(list.Value), map[int64]bool{}
	for i := range list.items() {
		port := list.item(i)
		at, number := port.get("nodePort"), port.get("port").number()
		n := at.number()
		switch {
		case old.Exists():
			if p.taken[n] {
				continue
			}
		case !begun[number]:
			begun[number] = true
			n = shared[number]
		case n == shared[number]:
			continue
		}
		if n == 0 {
			continue
		}
		if why := p.take(n); why != "" {
			p.invalidValue(at, document.NewInt(n), why)
			return false
		}
	}
	return true
}

// requestedNodePorts returns the first node port that is requested for each port number.
func requestedNodePorts(ports document.Value) map[int64]int64 {
	requested := map[int64]int64{}
	for _, port := range ports.Items() {
		number, _ := port.Get("port").Int()
		if n, _ := port.Get("nodePort").Int(); requested[number] == 0 {
			requested[number] = n
		}
	}
	return requested
}
