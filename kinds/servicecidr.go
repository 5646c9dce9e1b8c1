package kinds

import "github.com/patchlab-dev/patchlab/document"

// serviceCIDRStrategy is the strategy of networking.k8s.io/v1 ServiceCIDR, whose writers own what they send.
var serviceCIDRStrategy = Strategy{
	Group:         "networking.k8s.io",
	Resource:      "servicecidrs",
	Name:          subdomainName,
	AddressRanges: rangesOfServices,
	since:         "1.36", // the feature ServiceCIDRStatusFieldWiping
	later: func(s *Strategy) {
		s.Reset, s.ResetStatus = []string{"status"}, []string{"metadata", "spec"}
	},
}

// rangesOfServices returns the ranges of a ServiceCIDR, none if its controller says that it is not ready.
func rangesOfServices(object document.Value) []string {
	for _, condition := range object.Lookup("status", "conditions").Items() {
		if condition.Get("type").StringOr("") == "Ready" && condition.Get("status").StringOr("") != "True" {
			return nil
		}
	}
	return object.Lookup("spec", "cidrs").Strings()
}

func validateServiceCIDR(c *check, object, old field) {
	ranges, stored := object.get("spec.cidrs"), old.get("spec.cidrs")
	switch {
	case !old.isSet():
		validateServiceRanges(c, ranges)
	case ranges.items() == stored.items():
		for i := range ranges.items() {
			c.immutable(ranges.item(i), stored.item(i))
		}
	case stored.items() == 1 && ranges.items() == 2:
		c.immutable(ranges.item(0), stored.item(0))
		validateServiceRanges(c, ranges)
	default:
		c.invalidChange(ranges, isImmutable)
	}
}

// validateServiceRanges requires one CIDR, or one of each IP family.
func validateServiceRanges(c *check, ranges field) {
	if ranges.items() == 0 {
		c.required(ranges, "at least one CIDR required")
		return
	}
	if ranges.items() > 2 {
		c.invalid(ranges, "may only hold up to 2 values")
		return
	}
	for i := range ranges.items() {
		c.canonicalRange(ranges.item(i))
	}
	if ranges.items() == 2 {
		first, second := ranges.item(0), ranges.item(1)
		a, ok := parseRange(first.text(), true)
		b, both := parseRange(second.text(), true)
		if ok && both && a.Addr().Unmap().Is4() == b.Addr().Unmap().Is4() {
			c.invalid(ranges, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64")
		}
	}
}
