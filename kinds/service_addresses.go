package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/ipfamily"
	"github.com/patchlab-dev/patchlab/schema"
)

// Given is the state of the allocation of cluster IPs and node ports in a cluster.
type Given struct {
	// Families are the IP families of Services, the default one first; nil is IPv4 alone.
	Families []string
	// IP and Port report whether an IP or a node port is allocated.
	IP   func(string) bool
	Port func(int64) bool
	// OutOfRange returns why an IP does not belong to the cluster's range, "" if it does.
	OutOfRange func(string) string
	// FirstPort and LastPort are the range of node ports. With a LastPort of 0 any port and any
	// name of the Service is valid, as in a dry run in kube-apiserver.
	FirstPort, LastPort int64
}

// ValidateAddresses validates what the API server checks when it allocates the IPs and ports
// of a Service of kind k, before the validation of the object (pkg/registry/core/service/storage,
// alloc.go). asked is the object that the client sent and object the result of defaulting and
// allocation; old is absent on create. For resources without addresses there are no errors. A
// nil given skips the checks that depend on the cluster.
func (s *Strategy) ValidateAddresses(k *schema.Kind, asked, object, old document.Value, given *Given) []schema.FieldError {
	if s.Addresses == nil {
		return nil
	}
	c := newCheck(k, "", object)
	defer c.release()
	spec, was := c.root(object).get("spec"), c.root(old).get("spec")
	if spec.get("type").text() == "ExternalName" {
		return nil
	}
	families := c.root(asked).get("spec.ipFamilies") // the default depends on IPs that may be invalid
	keepsPreferred := ipfamily.Kept(spec.Value, was.Value) && document.Equal(families.Value, was.Value.Get("ipFamilies"))
	if !keepsPreferred {
		validateClusterIPs(c, beforeAllocation(spec, was, c.root(asked).get("spec.clusterIPs")), was, families)
	}
	if len(c.errs) == 0 && !keepsPreferred {
		policy := spec.get("ipFamilyPolicy")
		c.keepsSecond(policy, spec.get("clusterIPs"), was.get("clusterIPs"), "cluster IP")
		c.keepsSecond(policy, families, was.get("ipFamilies"), "IP family")
	}
	if given == nil {
		return c.errs
	}
	if len(c.errs) == 0 && !keepsPreferred {
		c.configured(spec, families, given)
	}
	if len(c.errs) == 0 {
		c.freeAddresses(c.root(asked).get("spec"), spec, old, given)
	}
	return c.errs
}

// beforeAllocation returns the spec of a Service as it is validated before the allocation: with the second IP that an
// update to SingleStack releases, and without that which one to a headless Service gets. asked are the IPs that the
// client has sent.
func beforeAllocation(spec, was, asked field) field {
	ips, had := spec.get("clusterIPs"), was.get("clusterIPs")
	first := ips.item(0).text()
	switch {
	case ips.items() == 1 && had.items() == 2 && first == had.item(0).text() && spec.get("ipFamilyPolicy").text() == "SingleStack":
		spec.Value = spec.Value.With("clusterIPs", had.Value)
	case ips.items() == 2 && first == "None" && asked.items() < 2:
		spec.Value = spec.Value.With("clusterIPs", document.NewStrings(first))
	}
	return spec
}

// keepsSecond refuses an update with fewer IPs or families than the Service has, unless the policy
// is SingleStack. (An update that omits them keeps them.)
func (c *check) keepsSecond(policy, list, was field, what string) {
	if policy.text() != "SingleStack" && list.items() > 0 && list.items() < was.items() {
		c.invalid(policy, "must be 'SingleStack' to release the secondary "+what)
	}
}
