package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// endpointSliceStrategy is the strategy of discovery.k8s.io/v1 EndpointSlice.
var endpointSliceStrategy = Strategy{
	Group:         "discovery.k8s.io",
	Resource:      "endpointslices",
	Name:          subdomainName,
	metadataAgain: repeatsWhole,
	Generation:    []string{"!metadata", "metadata.labels"},
	Dropped:       []string{"endpoints.deprecatedTopology"},
}

func validateEndpointSlice(c *check, object, old field) {
	addressType, ports, endpoints := object.get("addressType"), object.get("ports"), object.get("endpoints")
	c.needOneOf(addressType, "FQDN,IPv4,IPv6")
	validateSlicePorts(c, ports)
	mark := len(c.errs)
	validateSliceEndpoints(c, endpoints, addressType.text())
	if c.failed(mark) && old.isSet() && c.kind.Since("1.33") && c.same(endpoints, old.get("endpoints")) {
		c.errs = c.errs[:mark] // existing endpoints may remain invalid
	}
	if old.isSet() {
		c.declaredImmutable(addressType, old.get("addressType"))
	}
}

func validateSlicePorts(c *check, ports field) {
	const maxPorts = 20000
	if ports.items() > maxPorts {
		c.tooMany(ports, maxPorts)
		return
	}
	var seen seenTexts
	for i := range ports.items() {
		port := ports.item(i)
		name, protocol, application := port.get("name"), port.get("protocol"), port.get("appProtocol")
		c.syntaxIfSet(name, names.DNSLabel)
		if seen.add(name.text()) {
			c.duplicate(name)
		}
		if protocol.isSet() {
			c.oneOf(protocol, "SCTP,TCP,UDP")
		} else {
			c.required(protocol, "")
		}
		if application.isSet() {
			c.syntax(application, names.QualifiedName)
		}
	}
}

func validateSliceEndpoints(c *check, endpoints field, addressType string) {
	const maxEndpoints, maxAddresses, maxTopology = 1000, 100, 16
	if endpoints.items() > maxEndpoints {
		c.tooMany(endpoints, maxEndpoints)
		return
	}
	for i := range endpoints.items() {
		endpoint := endpoints.item(i)
		addresses, nodeName, host, topology := endpoint.get("addresses"), endpoint.get("nodeName"), endpoint.get("hostname"), endpoint.get("deprecatedTopology")
		if addresses.items() == 0 {
			c.required(addresses, c.undeclared("must contain at least 1 address"))
		}
		c.maxItems(addresses, maxAddresses)
		for j := range addresses.items() {
			validateSliceAddress(c, addresses, j, addressType)
		}
		if nodeName.isSet() {
			c.syntax(nodeName, names.DNSSubdomain)
		}
		if topology.Len() > maxTopology {
			c.tooMany(topology, maxTopology)
		}
		c.labels(topology)
		if host.isSet() {
			c.syntax(host, names.DNSLabel)
		}
		validateSliceHints(c, endpoint.get("hints"))
	}
}

// validateSliceAddress validates an address by the addressType of its slice. For an unknown
// type nothing is required.
func validateSliceAddress(c *check, addresses field, i int, addressType string) {
	address := addresses.item(i)
	if among(addressType, "IPv4,IPv6") && !c.kind.Since("1.33") {
		c.formerSliceAddress(address, addressType)
		return
	}
	switch addressType {
	case "IPv4":
		if !c.address(address) {
			return
		}
		if a, _ := parseAddress(address.text(), false); !a.Is4() {
			c.invalidText(addresses, address.text(), "must be an IPv4 address")
		}
		c.endpointAddress(address)
	case "IPv6":
		if !c.canonicalAddress(address) {
			return
		}
		if a, _ := parseAddress(address.text(), false); !a.Is6() {
			c.invalidText(addresses, address.text(), "must be an IPv6 address")
		}
		c.endpointAddress(address)
	case "FQDN":
		c.fullyQualifiedName(address)
	}
}

// formerSliceAddress requires an address of the type, as Kubernetes does before 1.33.
func (c *check) formerSliceAddress(address field, addressType string) {
	a, ok := parseAddress(address.text(), true)
	if !ok || a.Unmap().Is4() != (addressType == "IPv4") {
		c.invalid(address, "must be a valid "+addressType+" address")
	}
	c.endpointAddress(address)
}

func validateSliceHints(c *check, hints field) {
	const maxHints = 8
	zones, nodes := hints.get("forZones"), hints.get("forNodes")
	if zones.items() > maxHints {
		c.tooMany(zones, maxHints)
		return
	}
	validateHintNames(c, zones, names.LabelValue)
	if nodes.items() > maxHints {
		c.tooMany(nodes, maxHints)
		return
	}
	validateHintNames(c, nodes, names.DNSSubdomain)
}

func validateHintNames(c *check, hints field, rule func(string) string) {
	var seen seenTexts
	for i := range hints.items() {
		hint := hints.item(i)
		name := hint.get("name")
		if seen.add(name.text()) {
			c.duplicate(name)
		}
		c.syntax(name, rule)
	}
}

// warnEndpointSlice warns about names as addresses, and about addresses, except those of
// controllers, which correct them.
func warnEndpointSlice(a *advice, object, old field) {
	if !old.isSet() && object.get("addressType").text() == "FQDN" {
		a.say("spec.addressType: FQDN endpoints are deprecated")
	}
	switch object.get("metadata.labels").key("endpointslice.kubernetes.io/managed-by").text() {
	case "endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io":
		return
	}
	endpoints := object.get("endpoints")
	for i := range endpoints.items() {
		list := endpoints.item(i).get("addresses")
		for j := range list.items() {
			a.address(list.item(j))
		}
	}
}
