package kinds

import "strconv"

// warnService follows pkg/api/service, GetWarningsForService.
func warnService(a *advice, object, _ field) {
	if object.get("metadata.annotations").key(topologyHints).Exists() {
		a.say("annotation " + topologyHints + " is deprecated, please use " + topologyMode + " instead")
	}
	spec := object.get("spec")
	kind, ip, external := spec.get("type").text(), spec.get("clusterIP").text(), spec.get("externalIPs")
	isName, headless := kind == "ExternalName", kind == "ClusterIP" && ip == "None"
	if !isName && ip != "" && ip != "None" {
		a.addresses(spec.get("clusterIPs"))
	}
	if headless && a.check.kind.Since("1.34") {
		a.ignoredWhenHeadless(spec)
	}
	a.addresses(external)
	if external.items() > 0 && !headless && !isName && a.check.kind.Since("1.36") {
		a.say("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	if balancer := spec.get("loadBalancerIP"); balancer.text() != "" {
		a.address(balancer)
	}
	ranges := spec.get("loadBalancerSourceRanges")
	for i := range ranges.items() {
		a.addressRange(ranges.item(i))
	}
	if isName && external.items() > 0 {
		a.say(`spec.externalIPs is ignored when spec.type is "ExternalName"`)
	}
	if !isName && spec.get("externalName").text() != "" {
		a.say(`spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if spec.get("trafficDistribution").text() == "PreferClose" && a.check.kind.Since("1.35") {
		a.say("spec.trafficDistribution: " + strconv.Quote("PreferClose") + " is deprecated; use " + strconv.Quote("PreferSameZone"))
	}
}

func (a *advice) ignoredWhenHeadless(spec field) {
	for _, ignored := range [...]struct {
		set  bool
		name string
	}{
		{spec.get("loadBalancerIP").text() != "", "loadBalancerIP"},
		{spec.get("externalIPs").items() > 0, "externalIPs"},
		{spec.get("sessionAffinity").text() != "None", "SessionAffinity"},
	} {
		if ignored.set {
			a.say("spec." + ignored.name + " is ignored for headless services")
		}
	}
}

// addresses is the method address for the items of a list.
func (a *advice) addresses(list field) {
	for i := range list.items() {
		a.address(list.item(i))
	}
}

// warnBalancer warns about the addresses of a load balancer, of a Service or an Ingress.
func warnBalancer(a *advice, object field) {
	list := object.get("status.loadBalancer.ingress")
	for i := range list.items() {
		a.address(list.item(i).getAs("ip", ""))
	}
}
