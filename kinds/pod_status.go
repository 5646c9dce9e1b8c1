package kinds

import (
	"math"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// validatePodStatus validates an update of the status, which the kubelet and the
// scheduler write.
func validatePodStatus(c *check, object, old field) {
	p := c.podCheckOf(object)
	p.checkAnnotationUpdate(old)
	p.checkAnnotations()
	status, was := object.get("status"), old.get("status")
	p.podConditions(status.get("conditions"))
	node := status.get("nominatedNodeName")
	if text := node.text(); text != "" && text != was.get("nominatedNodeName").text() {
		p.syntax(node, names.DNSSubdomain)
		if !old.get("spec.nodeName").isEmpty() {
			p.forbidden(node, "may not be set on pods that are already bound to a node")
		}
	}
	p.natural(status.get("observedGeneration"), nonNegative)
	if p.kind.Since("1.32") {
		p.immutable(status.get("qosClass"), was.get("qosClass"))
	}
	for _, kind := range [...][2]string{{"containerStatuses", containers}, {"initContainerStatuses", initContainers}, {"ephemeralContainerStatuses", ephemeralContainers}} {
		list := status.get(kind[0])
		p.checkTransitions(list, was.get(kind[0]), kind[1])
		p.checkStatusUsers(list)
		p.checkAllocated(list, kind[1])
		p.checkVolumeStatuses(list)
	}
	p.claimStatuses(status.get("resourceClaimStatuses"))
	p.extendedClaims(status.get("extendedResourceClaimStatus"))
	p.allocatableClaims(status)
	p.statusAddresses(status.get("podIPs"), was.get("podIPs"))
	p.samePodIP(status)
	hosts := status.get("hostIPs")
	if hosts.items() > 0 {
		if first := hosts.item(0).get("ip"); first.text() != status.get("hostIP").text() {
			p.invalid(first, "must be equal to `hostIP`")
		}
	}
	p.statusAddresses(hosts, was.get("hostIPs"))
}

// samePodIP requires that podIP is the first of podIPs. Before Kubernetes 1.37, the one that is
// missing is set instead.
func (p *podCheck) samePodIP(status field) {
	ip, ips := status.get("podIP").text(), status.get("podIPs")
	switch first := ips.item(0).get("ip"); {
	case !p.kind.Since("1.37"):
	case (ip != "") != (ips.items() > 0):
		p.invalid(ips, "podIP and podIPs must either both be set or both be unset")
	case ip != first.text():
		p.invalid(first, "must be equal to `podIP`")
	}
}

func (c *check) podConditions(list field) {
	for i := range list.items() {
		condition := list.item(i)
		c.natural(condition.get("observedGeneration"), nonNegative)
		switch kind := condition.getAs("type", "Type"); kind.text() {
		case "PodScheduled", "Ready", "Initialized":
		default:
			c.syntax(kind, names.QualifiedName)
		}
	}
}

// checkTransitions refuses a terminated container that is running again, unless its restart
// policy permits that.
func (p *podCheck) checkTransitions(list, was field, kind string) {
	if kind != ephemeralContainers && p.restartsAll() {
		return
	}
	going := map[string]bool{} // the names of containers that are not terminated
	for _, is := range list.Value.Items() {
		if !is.Lookup("state", "terminated").Exists() {
			going[is.Get("name").StringOr("")] = true
		}
	}
	for i := range was.items() {
		before := was.At(i)
		ended := before.Lookup("state", "terminated")
		if !ended.Exists() {
			continue
		}
		name := before.Get("name").StringOr("")
		if code, _ := ended.Get("exitCode").Int(); going[name] && !p.mayRestart(kind, name, code) {
			p.forbidden(list.item(i).get("state"), "may not be transitioned to non-terminated state")
		}
	}
}

// restartsAll reports whether a restart rule of any container restarts all containers.
func (p *podCheck) restartsAll() bool {
	all := false
	p.eachContainer(func(c field) {
		for _, rule := range c.Get("restartPolicyRules").Items() {
			all = all || rule.Get("action").StringOr("") == "RestartAllContainers"
		}
	})
	return all
}

// mayRestart reports whether a container restarts after it exited with a code.
func (p *podCheck) mayRestart(kind, name string, code int64) bool {
	if kind == ephemeralContainers {
		return false
	}
	c := p.container(kind, name)
	if !c.Exists() {
		return false
	}
	for _, rule := range c.Get("restartPolicyRules").Items() {
		if rule.Get("action").StringOr("") == "Restart" && matchesCode(rule.Get("exitCodes"), code) {
			return true
		}
	}
	policy := c.Get("restartPolicy").StringOr(p.spec.get("restartPolicy").text())
	return policy == "Always" || policy == "OnFailure" && code != 0
}

func matchesCode(codes document.Value, code int64) bool {
	in := false
	for _, v := range codes.Get("values").Items() {
		n, _ := v.Int()
		in = in || n == code
	}
	switch codes.Get("operator").StringOr("") {
	case "In":
		return in
	case "NotIn":
		return !in
	}
	return false
}

func (p *podCheck) checkStatusUsers(list field) {
	for i := range list.items() {
		linux := list.item(i).get("user.linux")
		if !p.kind.Since("1.33") {
			linux = list.item(i).getAs("user.linux", "linux")
		}
		if !linux.isSet() {
			continue
		}
		if p.spec.get("os.name").text() == "windows" {
			p.forbidden(linux, "cannot be set for a windows pod")
			continue
		}
		if user := linux.get("uid"); p.kind.Since("1.37") {
			p.between(user, 0, math.MaxUint32)
		} else {
			p.userOrGroup(user)
		}
		p.userOrGroup(linux.get("gid"))
		groups := linux.get("supplementalGroups")
		for j := range groups.items() {
			p.userOrGroup(groups.item(j))
		}
	}
}

// checkAllocated validates the health of the resources allocated to containers.
func (p *podCheck) checkAllocated(list field, kind string) {
	for i := range list.items() {
		status := list.item(i)
		allocated := status.get("allocatedResourcesStatus")
		if kind == ephemeralContainers {
			if allocated.items() > 0 {
				p.forbidden(allocated, "must not be specified in container status")
			}
			continue
		}
		for j := range allocated.items() {
			p.allocatedResource(allocated.item(j), kind, status.get("name").text())
		}
	}
}

// allocatedResource validates the health of a resource, which must be among the container's
// requests or claims.
func (p *podCheck) allocatedResource(f field, kind, container string) {
	const longest = 1024
	name := f.get("name")
	if of := p.container(kind, container); of.Exists() && !hasResource(of.Get("resources"), name.text()) {
		why := "must match one of the container's resource requests"
		if strings.HasPrefix(name.text(), "claim:") {
			why = "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
		}
		p.invalid(name, why)
	}
	list := f.get("resources")
	seen := seenTexts{}
	for i := range list.items() {
		resource := list.item(i)
		p.oneOf(resource.get("health"), "Healthy,Unhealthy,Unknown")
		switch message := resource.get("message"); {
		case message.isSet() && message.text() == "":
			p.required(message, "must be non-empty if specified")
		default:
			p.maxBytes(message, longest)
		}
		if id := resource.get("resourceID"); seen.add(id.text()) {
			p.duplicate(id)
		}
	}
}

// hasResource reports whether resources request the name, claim:NAME or claim:NAME/REQUEST.
func hasResource(resources document.Value, name string) bool {
	claim, isClaim := strings.CutPrefix(name, "claim:")
	if !isClaim {
		return resources.Lookup("requests", name).Exists()
	}
	for _, c := range resources.Get("claims").Items() {
		own := c.Get("name").StringOr("")
		if request := c.Get("request").StringOr(""); request != "" {
			own += "/" + request
		}
		if own == claim {
			return true
		}
	}
	return false
}

// container returns the container of a kind, such as initContainers, that has a name; absent if there is
// none.
func (p *podCheck) container(kind, name string) document.Value {
	if p.containers[kind] == nil {
		if p.containers == nil {
			p.containers = map[string]map[string]document.Value{}
		}
		p.containers[kind] = itemsBy(p.spec.Get(kind), "name")
	}
	return p.containers[kind][name]
}

func (p *podCheck) checkVolumeStatuses(list field) {
	for i := range list.items() {
		mounts := list.item(i).get("volumeMounts")
		for j := range mounts.items() {
			image := mounts.item(j).get("volumeStatus").getAs("image", "imageVolumeStatus")
			if image.isSet() {
				p.need(image.get("imageRef"))
				p.maxBytes(image.get("imageRef"), 256)
			}
		}
	}
}

func (p *podCheck) claimStatuses(list field) {
	seen := seenTexts{}
	for i := range list.items() {
		name := list.item(i).get("name")
		if !p.knownClaims().has(name.text()) {
			p.invalid(name, "must match the name of an entry in `spec.resourceClaims`")
		}
		if seen.add(name.text()) {
			p.duplicate(name)
		}
		if claim := list.item(i).get("resourceClaimName"); claim.isSet() {
			p.syntax(claim, names.DNSSubdomain)
		}
	}
}

func (p *podCheck) extendedClaims(status field) {
	if !status.isSet() {
		return
	}
	mappings := status.get("requestMappings")
	p.needWith(mappings, "at least one request mapping is required")
	seen := seenTexts{}
	for i := range mappings.items() {
		mapping := mappings.item(i)
		container, resource, request := mapping.get("containerName"), mapping.get("resourceName"), mapping.get("requestName")
		known := false
		requests := document.Value{}
		for _, kind := range [...]string{initContainers, containers} {
			if of := p.container(kind, container.text()); of.Exists() {
				known, requests = true, of.Lookup("resources", "requests")
			}
		}
		switch {
		case !known:
			p.invalid(container, "must match the name of an entry in spec.initContainers.name or spec.containers.name")
		case !requests.Get(resource.text()).Exists():
			p.invalid(resource, "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests")
		}
		if why := names.DNSLabel(request.text()); why != "" {
			p.unmetText(status.getAs("", "requestName"), request.text(), why)
		}
		if seen.add(container.text() + "/" + resource.text() + "/" + request.text()) {
			p.duplicate(container)
			p.duplicate(resource)
			p.duplicate(request)
		}
	}
	p.needSyntax(status.get("resourceClaimName"), names.DNSSubdomain)
}

func (p *podCheck) allocatableClaims(status field) {
	list := status.get("nodeAllocatableResourceClaimStatuses")
	direct, mapped := claimsOf(p.spec.Get("resourceClaims")), claimsOf(status.Get("resourceClaimStatuses"))
	for i := range list.items() {
		item := list.item(i)
		name := item.get("resourceClaimName")
		p.need(name)
		if !direct.has(name.text()) && !mapped.has(name.text()) {
			p.invalid(name, "no mapping found in pod reference")
		}
		p.need(item.get("containers"))
		resources := item.get("resources")
		p.need(resources)
		for j := range resources.members() {
			amount, resource := resources.memberAt(j)
			if !podresources.IsNative(resource) {
				p.invalidText(amount, resource, "must be a node allocatable resource name")
			}
			p.notNegative(amount)
		}
	}
}

// claimsOf returns the names of the claims to which the items of a list refer.
func claimsOf(list document.Value) *seenTexts {
	names := &seenTexts{}
	for _, item := range list.Items() {
		if name := item.Get("resourceClaimName"); name.Exists() {
			names.add(name.StringOr(""))
		}
	}
	return names
}

// statusAddresses requires addresses that are valid or unchanged, with at most one of each IP
// family.
func (p *podCheck) statusAddresses(list, was field) {
	families := map[bool]int{}
	bad := -1 // the first one that is no address
	stored := fieldTexts(was.Value, "ip")
	for i := range list.items() {
		text := list.item(i).get("ip").text()
		if !stored.has(text) {
			item := list.item(i)
			item.Value = document.NewString(text)
			p.address(item)
		}
		if a, ok := parseAddress(text, true); ok {
			families[a.Unmap().Is4()]++
		} else if bad < 0 {
			bad = i
		}
	}
	if list.items() > 1 && bad >= 0 {
		p.internalError(list, "failed to check for dual stack with error:invalid IP["+strconv.Itoa(bad)+"]: "+list.item(bad).get("ip").text())
	}
	if list.items() > 2 || list.items() == 2 && (families[true] != 1 || families[false] != 1) {
		p.invalid(list, "may specify no more than one IP for each IP family")
	}
}
