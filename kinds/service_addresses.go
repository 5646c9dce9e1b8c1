package kinds

import (
	"slices"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Given is the state of the allocation of cluster IPs and node ports in a cluster with one IP
// family, IPv4.
type Given struct {
	// IP and Port report whether an IP or a node port is allocated.
	IP   func(string) bool
	Port func(int64) bool
	// FirstPort and LastPort are the range of node ports. With a LastPort of 0 any port is
	// valid, as in a dry run in kube-apiserver.
	FirstPort, LastPort int64
}

// ValidateAddresses validates what the API server checks when it allocates the IPs and ports
// of a Service, before the validation of the object (pkg/registry/core/service/storage,
// alloc.go). asked is the object that the client sent and object the result of defaulting and
// allocation; old is absent on create. For resources without addresses there are no errors. A
// nil given skips the checks that depend on the cluster.
func (s *Strategy) ValidateAddresses(asked, object, old document.Value, given *Given) []schema.FieldError {
	if s.Addresses == nil {
		return nil
	}
	c := newCheck(nil, "", object)
	defer c.release()
	spec, was := c.root(object).get("spec"), c.root(old).get("spec")
	if spec.get("type").text() == "ExternalName" {
		return nil
	}
	keepsPreferred := prefersTheSame(spec.Value, was.Value)
	if !keepsPreferred {
		validateClusterIPs(c, spec, was)
	}
	if given == nil {
		return c.finish()
	}
	if len(c.errs) == 0 && !keepsPreferred {
		c.singleStack(spec)
	}
	if len(c.errs) == 0 {
		c.freeAddresses(c.root(asked).get("spec"), spec, old, given)
	}
	return c.finish()
}

// prefersTheSame reports whether both states of a Service have ipFamilyPolicy PreferDualStack
// and the same addresses; their families are then valid even if the cluster has changed since
// they were allocated.
func prefersTheSame(spec, was document.Value) bool {
	for _, name := range [...]string{"type", "clusterIPs", "ipFamilies"} {
		if !document.Equal(spec.Get(name), was.Get(name)) {
			return false
		}
	}
	const prefer = "PreferDualStack"
	return was.Exists() && spec.Get("ipFamilyPolicy").StringOr("") == prefer && was.Get("ipFamilyPolicy").StringOr(prefer) == prefer
}

// singleStack refuses a Service that requires two IP families, or one that the cluster does
// not have. A headless Service without a selector may have any families.
func (c *check) singleStack(spec field) {
	policy, ips, families := spec.get("ipFamilyPolicy"), spec.get("clusterIPs"), spec.get("ipFamilies")
	if policy.text() == "SingleStack" {
		if ips.items() == 2 {
			c.invalid(policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified")
		}
		if families.items() == 2 {
			c.invalid(policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified")
		}
	}
	for i := families.items(); i < ips.items(); i++ {
		if ips.item(i).text() != "None" {
			c.invalid(ips.item(i), "IPv6 is not configured on this cluster")
		}
	}
	if len(c.errs) > 0 || spec.get("clusterIP").text() == "None" && spec.get("selector").isEmpty() {
		return
	}
	if policy.text() == "RequireDualStack" {
		c.invalid(policy, "this cluster is not configured for dual-stack services")
	}
	for i := range families.items() {
		if family := families.item(i); family.text() == "IPv6" {
			c.invalid(family, "not configured on this cluster")
		}
	}
}

// freeAddresses requires that the requested IPs and node ports are not allocated, up to the
// first one that is.
func (c *check) freeAddresses(asked, spec field, old document.Value, given *Given) {
	own, ports := serviceAddresses(old)
	ips := asked.get("clusterIPs")
	for i := range ips.items() {
		if ip := ips.item(i).text(); ip != "" && ip != "None" && !slices.Contains(own, ip) && given.IP(ip) {
			c.invalid(spec.get("clusterIPs"), "failed to allocate IP "+ip+": provided IP is already allocated")
			return
		}
	}
	if ip := asked.get("clusterIP").text(); ips.items() == 0 && ip != "" && ip != "None" && !slices.Contains(own, ip) && given.IP(ip) {
		c.invalid(spec.get("clusterIPs"), "failed to allocate IP "+ip+": provided IP is already allocated")
		return
	}
	if !among(spec.get("type").text(), "LoadBalancer,NodePort") {
		return
	}
	list := asked.get("ports")
	for i := range list.items() {
		port := list.item(i).get("nodePort")
		switch n := port.number(); {
		case n == 0 || slices.Contains(ports, n):
		case given.LastPort > 0 && (n < given.FirstPort || n > given.LastPort):
			c.invalid(port, "provided port is not in the valid range. The range of valid ports is "+
				strconv.FormatInt(given.FirstPort, 10)+"-"+strconv.FormatInt(given.LastPort, 10))
			return
		case given.Port(n):
			c.invalid(port, "provided port is already allocated")
			return
		}
	}
}
