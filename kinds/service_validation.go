package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// Validation of Services (pkg/apis/core/validation of Kubernetes 1.36). The checks of the
// allocation are in service_addresses.go.

const (
	sourceRangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges"
	topologyHints          = "service.kubernetes.io/topology-aware-hints" // deprecated
	topologyMode           = "service.kubernetes.io/topology-mode"
)

func validateService(c *check, object, old field) {
	spec, was := object.get("spec"), old.get("spec")
	if old.isSet() {
		validateServiceUpdate(c, spec, was)
	}
	validateTopology(c, object.get("metadata.annotations"))
	ports, kind := spec.get("ports"), spec.get("type")
	headless := isHeadless(spec.Value)
	if ports.items() == 0 && !headless && kind.text() != "ExternalName" {
		c.required(ports, "")
	}
	switch kind.text() {
	case "LoadBalancer", "NodePort":
		if headless {
			c.invalid(spec.get("clusterIPs").item(0), "may not be set to 'None' for "+kind.text()+" services")
		}
	case "ExternalName":
		validateExternalName(c, spec)
	}
	var portNames seenTexts
	for i := range ports.items() {
		validateServicePort(c, ports.item(i), ports.items() > 1, &portNames)
	}
	c.labels(spec.get("selector"))
	validateSessionAffinity(c, spec)
	if kind.text() != "ExternalName" {
		validateClusterIPs(c, spec, was, spec.get("ipFamilies"))
	}
	validateExternalIPs(c, spec.get("externalIPs"), was.Value.Get("externalIPs"))
	c.needOneOf(kind, "ClusterIP,ExternalName,LoadBalancer,NodePort")
	validatePortsTogether(c, ports, kind.text())
	validateSourceRanges(c, object, old)
	validateLoadBalancer(c, spec)
	validateTrafficPolicies(c, spec)
}

// validateTopology requires that the deprecated and the current annotation for topology-aware
// routing agree.
func validateTopology(c *check, annotations field) {
	hints, mode := annotations.key(topologyHints), annotations.key(topologyMode)
	if hints.Exists() && mode.Exists() && hints.text() != mode.text() {
		c.invalid(mode, "must match annotations["+topologyHints+"] when both are specified")
	}
}

func isHeadless(spec document.Value) bool {
	ips := spec.Get("clusterIPs")
	return ips.Kind() == document.List && ips.Len() == 1 && ips.At(0).StringOr("") == "None"
}

func validateExternalName(c *check, spec field) {
	for _, name := range [...]string{"clusterIPs", "ipFamilies", "ipFamilyPolicy"} {
		if f := spec.get(name); !f.isEmpty() || name == "ipFamilyPolicy" && f.isSet() {
			c.forbidden(f, "may not be set for ExternalName services")
		}
	}
	name := spec.get("externalName")
	if target := strings.TrimSuffix(name.text(), "."); target == "" {
		c.required(name, "")
	} else if why := names.DNSSubdomain(target); why != "" {
		c.unmet(name, why)
	}
}

// validatePortsTogether validates what depends on the type of the Service and on its other ports.
func validatePortsTogether(c *check, ports field, kind string) {
	var numbers, nodePorts seenTexts
	for i := range ports.items() {
		if nodePort := ports.item(i).get("nodePort"); kind == "ClusterIP" && nodePort.number() != 0 {
			c.forbidden(nodePort, "may not be used when `type` is 'ClusterIP'")
		}
	}
	for i := range ports.items() {
		port := ports.item(i)
		if nodePort := port.get("nodePort"); nodePort.number() != 0 && nodePorts.add(port.get("protocol").text()+nodePort.NumberText()) {
			c.duplicate(nodePort)
		}
	}
	for i := range ports.items() {
		port := ports.item(i)
		if numbers.add(port.get("protocol").text() + port.get("port").NumberText()) {
			c.duplicate(port)
		}
	}
}

// validateServicePort validates one port. known are the names of those before it.
func validateServicePort(c *check, port field, nameRequired bool, known *seenTexts) {
	name, target, application := port.get("name"), port.get("targetPort"), port.get("appProtocol")
	if nameRequired {
		c.need(name)
	}
	c.syntaxIfSet(name, names.DNSLabel)
	if name.text() != "" && known.add(name.text()) {
		c.duplicate(name)
	}
	c.port(port.get("port"))
	c.needOneOf(port.get("protocol"), "SCTP,TCP,UDP")
	c.portOrName(target)
	if application.isSet() {
		c.syntax(application, names.QualifiedName)
	}
}

func validateSessionAffinity(c *check, spec field) {
	const maxSeconds = 86400
	affinity, config := spec.get("sessionAffinity"), spec.get("sessionAffinityConfig")
	c.needOneOf(affinity, "ClientIP,None")
	switch affinity.text() {
	case "None":
		if config.isSet() {
			c.forbidden(config, "must not be set when session affinity is None")
		}
	case "ClientIP":
		client, seconds := config.get("clientIP"), config.get("clientIP.timeoutSeconds")
		switch {
		case !config.isSet():
			c.required(config, "when session affinity type is ClientIP")
		case !client.isSet():
			c.required(client, "when session affinity type is ClientIP")
		case !seconds.isSet():
			c.required(seconds, "when session affinity type is ClientIP")
		case seconds.number() <= 0 || seconds.number() > maxSeconds:
			c.invalid(seconds, "must be greater than 0 and less than "+strconv.Itoa(maxSeconds))
		}
	}
}

// validateClusterIPs validates cluster IPs and IP families, and that they match.
func validateClusterIPs(c *check, spec, was, families field) {
	ip, ips := spec.get("clusterIP"), spec.get("clusterIPs")
	first := ips.item(0)
	switch {
	case ip.isEmpty() && ips.items() > 0:
		c.invalid(ips, "must be empty when `clusterIP` is not specified")
	case !ip.isEmpty() && ips.items() == 0:
		c.required(ips, "")
	case !ip.isEmpty() && first.text() != ip.text():
		c.invalid(ips, "first value must match `clusterIP`")
	}
	var seen seenTexts
	for i := range families.items() {
		family := families.item(i)
		c.oneOf(family, "IPv4,IPv6")
		if seen.add(family.text()) {
			c.duplicate(family)
		}
	}
	c.oneOfIfSet(spec.get("ipFamilyPolicy"), "PreferDualStack,RequireDualStack,SingleStack")
	mark := len(c.errs)
	stored := textsOf(was.Value.Get("clusterIPs"))
	for i := range ips.items() {
		address := ips.item(i)
		if i == 0 && address.text() == "None" {
			if ips.items() > 1 {
				c.invalid(ips, "'None' must be the first and only value")
			}
		} else if !stored.has(address.text()) {
			c.address(address)
		}
	}
	misplaced := c.failed(mark)
	if ips.items() > 2 {
		c.invalid(ips, "may only hold up to 2 values")
	}
	if !misplaced {
		validateFamilies(c, ips, families)
	}
}

// validateFamilies requires IPs of different families, which match ipFamilies.
func validateFamilies(c *check, ips, families field) {
	v6 := func(i int) bool { return strings.Contains(ips.item(i).text(), ":") }
	alike := ips.items() > 1
	for i := range ips.items() {
		alike = alike && v6(i) == v6(0)
	}
	if alike {
		c.invalid(ips, "may specify no more than one IP for each IP family")
	}
	if first := ips.item(0); first.text() == "None" {
		return
	}
	for i := range min(ips.items(), families.items()) {
		family := families.item(i)
		if f := family.text(); f == "IPv4" && v6(i) || f == "IPv6" && !v6(i) {
			c.invalid(ips.item(i), "expected an "+f+" value as indicated by `ipFamilies["+strconv.Itoa(i)+"]`")
		}
	}
}

func validateExternalIPs(c *check, ips field, old document.Value) {
	stored := textsOf(old)
	for i := range ips.items() {
		ip := ips.item(i)
		if stored.has(ip.text()) || c.address(ip) {
			c.endpointAddress(ip)
		}
	}
}

// validateSourceRanges validates loadBalancerSourceRanges or, if it is unset, the annotation
// that preceded it.
func validateSourceRanges(c *check, object, old field) {
	ranges := object.getAs("spec.loadBalancerSourceRanges", "spec.LoadBalancerSourceRanges")
	balanced := object.Value.Lookup("spec", "type").StringOr("") == "LoadBalancer"
	if ranges.items() > 0 {
		if !balanced {
			c.forbidden(ranges, "may only be used when `type` is 'LoadBalancer'")
		}
		stored := textsOf(old.Value.Lookup("spec", "loadBalancerSourceRanges"))
		for i := range ranges.items() {
			one := ranges.item(i)
			if !stored.has(one.text()) {
				c.paddedRange(one, one.text())
			}
		}
		return
	}
	annotation := object.get("metadata.annotations").key(sourceRangesAnnotation)
	if !annotation.isSet() {
		return
	}
	if !balanced {
		c.forbidden(annotation, "may only be used when `type` is 'LoadBalancer'")
	}
	text := strings.TrimSpace(annotation.text())
	if text == "" || old.isSet() && old.Value.Lookup("metadata", "annotations").Get(sourceRangesAnnotation).StringOr("") == annotation.text() {
		return
	}
	for one := range strings.SplitSeq(text, ",") {
		c.paddedRange(annotation, one)
	}
}

// paddedRange requires a CIDR, which may have leading and trailing spaces. Errors are reported
// for f.
func (c *check) paddedRange(f field, text string) {
	f.Value = document.NewString(strings.TrimSpace(text))
	c.addressRange(f)
}

func validateLoadBalancer(c *check, spec field) {
	if ports := spec.get("allocateLoadBalancerNodePorts"); ports.isSet() && !isBalanced(spec.Value) {
		c.forbidden(ports, onlyBalanced)
	}
	validateLoadBalancerClass(c, spec)
}

const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"

func isBalanced(spec document.Value) bool { return spec.Get("type").StringOr("") == "LoadBalancer" }

func validateLoadBalancerClass(c *check, spec field) {
	switch class := spec.get("loadBalancerClass"); {
	case class.isSet() && isBalanced(spec.Value):
		c.syntax(class, names.QualifiedName)
	case class.isSet():
		c.forbidden(class, onlyBalanced)
	}
}

func validateTrafficPolicies(c *check, spec field) {
	external, health, internal, distribution := spec.get("externalTrafficPolicy"), spec.get("healthCheckNodePort"), spec.get("internalTrafficPolicy"), spec.get("trafficDistribution")
	switch {
	case isExternallyAccessible(spec.Value):
		c.needOneOf(external, "Cluster,Local")
	case !external.isEmpty():
		c.invalid(external, "may only be set for externally-accessible services")
	}
	if health.number() != 0 {
		if needsHealthCheck(spec.Value) {
			c.port(health)
		} else {
			c.invalid(health, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")
		}
	}
	if internal.isSet() {
		c.oneOf(internal, "Cluster,Local")
	} else if kind := spec.Value.Get("type").StringOr(""); among(kind, "ClusterIP,LoadBalancer,NodePort") {
		c.required(internal, "")
	}
	distributions := "PreferClose"
	if c.kind.Since("1.34") {
		distributions += ",PreferSameZone,PreferSameNode"
	}
	c.oneOfIfSet(distribution, distributions)
}

func isExternallyAccessible(spec document.Value) bool {
	switch spec.Get("type").StringOr("") {
	case "LoadBalancer", "NodePort":
		return true
	case "ClusterIP":
		return spec.Get("externalIPs").Len() > 0
	}
	return false
}

func needsHealthCheck(spec document.Value) bool {
	return isBalanced(spec) && spec.Get("externalTrafficPolicy").StringOr("") == "Local"
}

// validateServiceUpdate validates what depends on the stored Service, in kube-apiserver's order. The
// class of the load balancer is validated here and again with the other fields.
func validateServiceUpdate(c *check, spec, was field) {
	keepAddresses(c, spec, was.Value)
	if class := spec.get("loadBalancerClass"); isBalanced(spec.Value) && isBalanced(was.Value) && !document.Equal(class.Value, was.Value.Get("loadBalancerClass")) {
		c.invalidValue(class, orNull(class.Value), "may not change once set")
	}
	validateLoadBalancerClass(c, spec)
	if needsHealthCheck(spec.Value) && needsHealthCheck(was.Value) {
		if health := spec.get("healthCheckNodePort"); !document.Equal(health.Value, was.Value.Get("healthCheckNodePort")) {
			c.forbiddenChange(health, isImmutable)
		}
	}
}

// keepAddresses requires that the IPs and families of a Service do not change. The second ones may
// be added or removed, and all may change with the type ExternalName.
func keepAddresses(c *check, spec field, was document.Value) {
	for _, s := range [...]document.Value{spec.Value, was} {
		if s.Get("type").StringOr("") == "ExternalName" {
			return
		}
	}
	headless, wasHeadless := isHeadless(spec.Value), isHeadless(was)
	if !headless || !wasHeadless {
		keepFirst(c, spec, spec.get("clusterIPs"), was.Get("clusterIPs"), false)
	}
	if !headless && !wasHeadless {
		keepFirst(c, spec, spec.get("ipFamilies"), was.Get("ipFamilies"), true)
	}
}

// keepFirst requires that the first item of a list does not change, nor the second if both
// lists have one. With whole, errors are reported for the first item.
func keepFirst(c *check, spec, list field, stored document.Value, whole bool) {
	count := stored.Len()
	if list.items() == count {
		for i := range count {
			if item := list.item(i); item.text() != stored.At(i).StringOr("") {
				if whole {
					item = list.item(0)
				}
				c.invalidValue(item, list.Value, "may not change once set")
			}
		}
		return
	}
	first, shown, one := list.item(0), list.Value, "clusterIP"
	if whole { // kube-apiserver shows the cluster IPs here
		shown, one = spec.get("clusterIPs").Value, "ipFamily"
	}
	switch {
	case count > 0 && list.items() == 0:
		c.invalidValue(first, list.Value, "primary "+one+" can not be unset")
	case count > 0 && first.text() != stored.At(0).StringOr(""):
		c.invalidValue(first, shown, "may not change once set")
	}
	if policy := spec.get("ipFamilyPolicy"); count > list.items() && list.items() == 1 && policy.text() != "SingleStack" {
		c.invalid(policy, "must be set to 'SingleStack' when releasing the secondary "+one)
	}
}

func validateServiceStatus(c *check, object, old field) {
	const path = "status.loadBalancer.ingress"
	addresses := object.get(path)
	if object.Value.Lookup("spec", "type").StringOr("") != "LoadBalancer" {
		if addresses.items() > 0 {
			c.forbidden(addresses, "may only be used when `spec.type` is 'LoadBalancer'")
		}
		return
	}
	validateLoadBalancerAddresses(c, addresses, old.get(path))
	for i := range addresses.items() {
		address := addresses.item(i)
		ip, mode := address.get("ip"), address.get("ipMode")
		switch {
		case !mode.isSet() && !ip.isEmpty():
			c.required(mode, "must be specified when `ip` is set")
		case mode.isSet() && ip.isEmpty():
			c.forbidden(mode, "may not be specified when `ip` is not set")
		default:
			c.oneOfIfSet(mode, "Proxy,VIP")
		}
	}
}
