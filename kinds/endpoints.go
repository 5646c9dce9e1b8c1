package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// endpointsStrategy is the strategy of v1 Endpoints.
var endpointsStrategy = Strategy{
	Resource:       "endpoints",
	Storage:        "services/endpoints",
	Name:           subdomainName,
	metadataAgain:  changeFirst,
	CreateOnUpdate: true,
	since:          "1.33",
	later: func(s *Strategy) {
		s.Deprecated = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
	},
}

func validateEndpoints(c *check, object, old field) {
	subsets := object.get("subsets")
	mark := len(c.errs)
	for i := range subsets.items() {
		validateEndpointSubset(c, subsets.item(i))
	}
	if c.failed(mark) && old.isSet() && c.same(subsets, old.get("subsets")) {
		c.errs = c.errs[:mark] // existing subsets may remain invalid
	}
}

func validateEndpointSubset(c *check, subset field) {
	addresses, notReady, ports := subset.get("addresses"), subset.get("notReadyAddresses"), subset.get("ports")
	if addresses.items() == 0 && notReady.items() == 0 {
		c.required(subset, "must specify `addresses` or `notReadyAddresses`")
	}
	for _, list := range [...]field{addresses, notReady} {
		for i := range list.items() {
			address := list.item(i)
			ip, node := address.get("ip"), address.get("nodeName")
			c.address(ip)
			c.syntaxIfSet(address.get("hostname"), names.DNSLabel)
			if node.isSet() {
				c.syntax(node, names.DNSSubdomain)
			}
			c.endpointAddress(ip)
		}
	}
	for i := range ports.items() {
		port := ports.item(i)
		name, application := port.get("name"), port.get("appProtocol")
		if ports.items() > 1 {
			c.need(name)
		}
		c.syntaxIfSet(name, names.DNSLabel)
		c.port(port.get("port"))
		c.needOneOf(port.get("protocol"), "SCTP,TCP,UDP")
		if application.isSet() {
			c.syntax(application, names.QualifiedName)
		}
	}
}

// warnEndpoints warns about addresses, except those of the endpoints controller, which
// corrects them.
func warnEndpoints(a *advice, object, _ field) {
	if object.get("metadata.labels").key("endpoints.kubernetes.io/managed-by").text() == "endpoint-controller" {
		return
	}
	subsets := object.get("subsets")
	for i := range subsets.items() {
		for _, name := range [...]string{"addresses", "notReadyAddresses"} {
			list := subsets.item(i).get(name)
			for j := range list.items() {
				a.address(list.item(j).get("ip"))
			}
		}
	}
}
