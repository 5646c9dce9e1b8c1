//go:build !js

package cluster

import (
	"errors"
	"fmt"
	"net/netip"
)

// ServiceRanges returns the ranges from which cluster IPs are allocated, one of each IP family that Services may have.
func (c *Cluster) ServiceRanges() []netip.Prefix { return serviceRanges(c.config.ServiceRanges) }

// serviceRanges returns the ranges to allocate cluster IPs from if cidrs are configured.
func serviceRanges(cidrs []netip.Prefix) (all []netip.Prefix) {
	for _, cidr := range cidrs {
		all = append(all, cidr.Masked())
	}
	if all == nil {
		all = append(all, netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 96, 0, 0}), 16))
	}
	return all
}

// CheckServiceRanges returns why ranges are not valid as [Config].ServiceRanges, nil if they are.
func CheckServiceRanges(cidrs []netip.Prefix) error {
	if len(cidrs) > 2 || len(cidrs) == 2 && cidrs[0].Addr().Is4() == cidrs[1].Addr().Is4() {
		return errors.New("expected one range of cluster IPs, or one of each IP family")
	}
	for _, cidr := range cidrs {
		const least, most = 3, 64 // bits of an address within its range; kube-apiserver has no larger ranges of IPv6
		switch free := cidr.Addr().BitLen() - cidr.Bits(); {
		case !cidr.IsValid():
			return errors.New("a range of cluster IPs is not valid")
		case free < least:
			return fmt.Errorf("the range of cluster IPs, %s, must have at least eight addresses", cidr)
		case free > most:
			return fmt.Errorf("the range of cluster IPs, %s, must have a prefix of at least 64 bits", cidr)
		}
	}
	return nil
}
