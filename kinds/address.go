package kinds

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// parseAddress parses an IP address. With sloppy, its parts may have leading zeros, which fields that
// predate the stricter syntax accept.
func parseAddress(s string, sloppy bool) (netip.Addr, bool) {
	if sloppy {
		s = names.WithoutLeadingZeros(s)
	}
	a, err := netip.ParseAddr(s)
	return a, err == nil && a.Zone() == ""
}

// address requires an IP address without leading zeros. An IPv4-mapped IPv6 address is
// invalid. Before Kubernetes 1.36, both are valid (the feature StrictIPCIDRValidation).
func (c *check) address(n field) bool {
	if !c.kind.Since("1.36") {
		if _, ok := parseAddress(n.text(), true); ok {
			return true
		}
	}
	return c.strictAddress(n)
}

// strictAddress is address for fields that always had the stricter syntax.
func (c *check) strictAddress(n field) bool {
	if _, why := addressOf(n.text()); why != "" {
		c.invalid(n, why)
		return false
	}
	return true
}

// addressOf parses an IP address. why describes what is wrong with it, "" if nothing is.
func addressOf(text string) (a netip.Addr, why string) {
	a, ok := parseAddress(text, false)
	if ok && a.Is4In6() {
		return a, "must not be an IPv4-mapped IPv6 address"
	}
	if !ok {
		why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
		if _, sloppy := parseAddress(text, true); sloppy {
			why = "must not have leading 0s"
		}
	}
	return a, why
}

// canonicalAddress is address for fields that also require the canonical form.
func (c *check) canonicalAddress(n field) bool {
	if !c.strictAddress(n) {
		return false
	}
	if a, _ := parseAddress(n.text(), false); a.String() != n.text() {
		c.invalid(n, "must be in canonical form ("+strconv.Quote(a.String())+")")
		return false
	}
	return true
}

// addressName is the NameRule for names that are IP addresses.
func addressName(name string, _ bool) string {
	a, why := addressOf(name)
	if why == "" && a.String() != name {
		why = "must be in canonical form (" + strconv.Quote(a.String()) + ")"
	}
	return why
}

// parseRange parses a CIDR such as 10.0.0.0/8. sloppy is as for parseAddress.
func parseRange(s string, sloppy bool) (netip.Prefix, bool) {
	address, bits, found := strings.Cut(s, "/")
	if !found {
		return netip.Prefix{}, false
	}
	a, ok := parseAddress(address, sloppy)
	n, err := strconv.Atoi(bits)
	if !ok || err != nil || n < 0 || n > a.BitLen() || strings.Trim(bits, "0123456789") != "" {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a, n), true
}

const leadingZeros = "must not have leading 0s in IP or prefix length"

// addressRange requires a CIDR without bits after the prefix. Before Kubernetes 1.36, they are
// valid, as for address.
func (c *check) addressRange(n field) {
	if !c.kind.Since("1.36") {
		if _, ok := parseRange(n.text(), true); ok {
			return
		}
	}
	c.strictRange(n)
}

// strictRange is addressRange for fields that always had the stricter syntax. It reports whether the
// field has it.
func (c *check) strictRange(n field) bool {
	text := n.text()
	p, ok := parseRange(text, false)
	_, bits, _ := strings.Cut(text, "/")
	switch {
	case !ok:
		why := "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
		if _, sloppy := parseRange(text, true); sloppy {
			why = leadingZeros
		}
		c.invalid(n, why)
	case len(bits) > 1 && bits[0] == '0':
		c.invalid(n, leadingZeros)
	case p.Addr().Is4In6():
		c.invalid(n, "must not have an IPv4-mapped IPv6 address")
	case p.Masked() != p:
		c.invalid(n, "must not have bits set beyond the prefix length")
	default:
		return true
	}
	return false
}

// canonicalRange is addressRange for fields that also require the canonical form.
func (c *check) canonicalRange(n field) {
	if !c.strictRange(n) {
		return
	}
	if p, _ := parseRange(n.text(), false); p.String() != n.text() {
		c.invalid(n, "must be in canonical form ("+strconv.Quote(p.String())+")")
	}
}

// endpointAddress requires an IP address, and refuses special ones, such as loopback, that an
// endpoint cannot have.
func (c *check) endpointAddress(n field) {
	a, ok := parseAddress(n.text(), true)
	if !ok {
		c.invalid(n, "must be a valid IP address")
		return
	}
	a = a.Unmap()
	switch {
	case a.IsUnspecified():
		c.invalid(n, "may not be unspecified ("+n.text()+")")
	case a.IsLoopback():
		c.invalid(n, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
	case a.IsLinkLocalUnicast():
		c.invalid(n, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
	case a.IsLinkLocalMulticast():
		c.invalid(n, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
	}
}

// hostName requires a host name, which may begin with "*.".
func (c *check) hostName(n field) {
	if strings.Contains(n.text(), "*") {
		c.syntax(n, names.WildcardSubdomain)
		return
	}
	c.syntax(n, names.DNSSubdomain)
}

// fullyQualifiedName requires a host name of at least two labels, which may end with
// a dot.
func (c *check) fullyQualifiedName(n field) {
	if !c.need(n) {
		return
	}
	name := strings.TrimSuffix(n.text(), ".")
	if why := names.DNSSubdomain(name); why != "" {
		c.invalidText(n, name, joined(why, ","))
		return
	}
	if !strings.Contains(name, ".") {
		c.invalidText(n, name, "should be a domain with at least two segments separated by dots")
		return
	}
	for label := range strings.SplitSeq(name, ".") {
		if why := names.DNSLabel(label); why != "" {
			c.invalidText(n, label, joined(why, ","))
			return
		}
	}
}

// interfaceAddress requires an address with its prefix length, such as 10.9.8.7/24, in
// canonical form.
func (c *check) interfaceAddress(f field) {
	p, ok := parseRange(f.text(), true)
	if !ok {
		c.invalid(f, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")
		return
	}
	if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
	}
	if p.String() != f.text() {
		c.invalid(f, "must be in canonical form ("+strconv.Quote(p.String())+")")
	}
}
