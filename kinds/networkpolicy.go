package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
)

// networkPolicyStrategy is the strategy of networking.k8s.io/v1 NetworkPolicy.
var networkPolicyStrategy = Strategy{
	Group:           "networking.k8s.io",
	Resource:        "networkpolicies",
	Name:            subdomainName,
	validatedOnce:   "1.36",
	Generation:      []string{"spec"},
	ExactGeneration: true,
	Defaulted:       []string{"spec.policyTypes"},
}

func validateNetworkPolicy(c *check, object, old field) {
	spec, was := object.get("spec"), old.get("spec")
	c.labelSelector(spec.get("podSelector"))
	known := rangesOf(was.Value)
	ingress, egress := spec.get("ingress"), spec.get("egress")
	for i := range ingress.items() {
		rule := ingress.item(i)
		validateTraffic(c, rule.get("ports"), rule.get("from"), known)
	}
	for i := range egress.items() {
		rule := egress.item(i)
		validateTraffic(c, rule.get("ports"), rule.get("to"), known)
	}
	types := spec.get("policyTypes")
	if types.items() > 2 {
		c.invalid(types, "may not specify more than two policyTypes")
		return
	}
	for i := range types.items() {
		c.oneOf(types.item(i), "Ingress,Egress")
	}
}

// rangesOf returns the CIDRs in the stored policy, which are not validated again.
func rangesOf(spec document.Value) map[string]bool {
	if !spec.Exists() {
		return nil
	}
	known := map[string]bool{}
	for _, direction := range [...][2]string{{"ingress", "from"}, {"egress", "to"}} {
		for _, rule := range spec.Get(direction[0]).Items() {
			for _, peer := range rule.Get(direction[1]).Items() {
				block := peer.Get("ipBlock")
				known[block.Get("cidr").StringOr("")] = true
				for _, except := range block.Get("except").Items() {
					known[except.StringOr("")] = true
				}
			}
		}
	}
	return known
}

func validateTraffic(c *check, ports, peers field, known map[string]bool) {
	for i := range ports.items() {
		validatePolicyPort(c, ports.item(i))
	}
	for i := range peers.items() {
		validatePolicyPeer(c, peers.item(i), known)
	}
}

func validatePolicyPort(c *check, n field) {
	port, end := n.get("port"), n.get("endPort")
	c.oneOfIfSet(n.get("protocol"), "TCP,UDP,SCTP")
	if port.isSet() {
		c.portOrName(port)
	}
	if !end.isSet() {
		return
	}
	switch {
	case !port.isSet():
		c.invalid(end, "may not be specified when `port` is not specified")
	case port.Kind() == document.String:
		c.invalid(end, "may not be specified when `port` is non-numeric")
	default:
		if end.number() < port.number() {
			shown := port.Value
			if c.kind.Since("1.37") {
				shown = end.Value
			}
			c.invalidValue(end, shown, "must be greater than or equal to `port`")
		}
		c.port(end)
	}
}

func validatePolicyPeer(c *check, n field, known map[string]bool) {
	pods, namespaces, block := n.get("podSelector"), n.get("namespaceSelector"), n.get("ipBlock")
	c.labelSelector(pods)
	c.labelSelector(namespaces)
	if block.isSet() {
		validateIPBlock(c, block, known)
	}
	switch selectors := pods.isSet() || namespaces.isSet(); {
	case !selectors && !block.isSet():
		c.required(n, "must specify a peer")
	case selectors && block.isSet():
		c.forbidden(n, "may not specify both ipBlock and another peer")
	}
}

func validateIPBlock(c *check, n field, known map[string]bool) {
	cidr, excepts := n.get("cidr"), n.get("except")
	if !c.need(cidr) {
		return
	}
	if !known[cidr.text()] {
		c.addressRange(cidr)
	}
	whole, ok := parseRange(cidr.text(), true)
	if !ok {
		return
	}
	for i := range excepts.items() {
		except := excepts.item(i)
		if except.text() == "" {
			c.invalid(except, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")
		} else if !known[except.text()] {
			c.addressRange(except)
		}
		part, ok := parseRange(except.text(), true)
		if ok && (!whole.Contains(part.Masked().Addr()) || whole.Bits() >= part.Bits()) {
			c.invalid(except, "must be a strict subset of `cidr`")
		}
	}
}

func warnNetworkPolicy(a *advice, object, _ field) {
	a.peers(object.get("spec.ingress"), "from")
	a.peers(object.get("spec.egress"), "to")
}

// peers warns about the address ranges in the rules of a NetworkPolicy.
func (a *advice) peers(rules field, name string) {
	for i := range rules.items() {
		list := rules.item(i).get(name)
		for j := range list.items() {
			block := list.item(j).get("ipBlock")
			if !block.isSet() {
				continue
			}
			a.addressRange(block.get("cidr"))
			except := block.get("except")
			for k := range except.items() {
				a.addressRange(except.item(k))
			}
		}
	}
}
