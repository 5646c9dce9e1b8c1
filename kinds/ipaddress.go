package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// ipAddressStrategy is the strategy of networking.k8s.io/v1 IPAddress.
var ipAddressStrategy = Strategy{
	Group:             "networking.k8s.io",
	Resource:          "ipaddresses",
	Name:              addressName,
	WholeGenerateName: true,
	metadataAgain:     wholeFirst,
	RecordsAddresses:  true,
}

func validateIPAddress(c *check, object, old field) {
	parent := object.get("spec.parentRef")
	c.addressParent(parent)
	if old.isSet() {
		c.metadataAt = len(c.errs)
		c.declaredImmutable(parent, old.get("spec.parentRef"))
	}
}

func (c *check) addressParent(parent field) {
	if !parent.isSet() {
		c.required(parent, "")
		return
	}
	c.syntaxIfSet(parent.get("group"), names.DNSSubdomain)
	c.needSyntax(parent.get("resource"), names.PathSegment)
	c.needSyntax(parent.get("name"), names.PathSegment)
	c.syntaxIfSet(parent.get("namespace"), names.PathSegment)
}
