// Package ipfamily has the IP families of Services.
package ipfamily

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// IPv4 is the family that a cluster without configured ranges has.
const IPv4 = "IPv4"

const ipv6 = "IPv6"

// Of returns the family of an IP in its textual form.
func Of(ip string) string {
	if strings.Contains(ip, ":") {
		return ipv6
	}
	return IPv4
}

// Other returns the other family.
func Other(family string) string {
	if family == IPv4 {
		return ipv6
	}
	return IPv4
}

// Kept reports whether an update of a Service, from the spec was to next, keeps its IPs whatever families the cluster
// has: both prefer two families, and have the same type, families and IPs
// (pkg/registry/core/service/storage, isMatchingPreferDualStackClusterIPFields).
func Kept(next, was document.Value) bool {
	for _, name := range [...]string{"type", "clusterIPs", "ipFamilies"} {
		if !document.Equal(next.Get(name), was.Get(name)) {
			return false
		}
	}
	const prefer = "PreferDualStack"
	return was.Exists() && next.Get("ipFamilyPolicy").StringOr("") == prefer && was.Get("ipFamilyPolicy").StringOr(prefer) == prefer
}
