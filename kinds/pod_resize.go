package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// checkResize requires that an update through the resize subresource changes only amounts of
// cpu and memory, and neither the order of containers nor the QoS class (KEP-1287).
func (p *podCheck) checkResize(old field) {
	was := old.get("spec")
	p.keepClass(p.spec, old, "Pod QOS Class may not change as a result of resizing")
	if !canResize(old.get("status.containerStatuses").Value) {
		p.forbidden(p.spec, "Pod running on node without support for resize")
	}
	if !p.kind.Since("1.36") && (was.get("resources").limited() || p.spec.get("resources").limited()) {
		why := "pods with pod-level resources cannot be resized"
		if p.kind.Since("1.35") {
			why = "resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled"
		}
		p.forbidden(old.getAs("", "[]"), why)
		return
	}
	next := p.resizedPod(was)
	if old.get("status.nodeAllocatableResourceClaimStatuses").items() > 0 && !p.kind.Since("1.37") {
		p.forbidden(p.spec, "pods with node allocatable resource claims cannot be resized")
	}
	if !p.checkOrder(was) {
		return
	}
	for _, name := range [...]string{initContainers, containers} {
		list := p.spec.get(name)
		for i := range list.items() {
			c, before := list.item(i), was.get(name).item(i)
			if name == initContainers && c.get("restartPolicy").text() != "Always" && !p.kind.Since("1.36") {
				if !p.same(c, before) {
					p.forbidden(p.spec, "resources for non-sidecar init containers are immutable")
				}
				continue
			}
			p.checkResized(c.get("resources"), before.get("resources"), "resource")
			p.checkResizedContainer(name, c, before)
			if !p.kind.Since("1.34") {
				p.checkMemoryLimit(c, before)
			}
		}
		next = next.With(name, withOld(next.Get(name), was.Get(name), "resources"))
	}
	if !p.failed(0) && !p.sameAs(p.spec, next, was) {
		p.forbidden(p.spec, "only cpu and memory resources are mutable")
	}
}

// keepClass requires that the QoS class does not change. Errors are reported for f.
func (p *podCheck) keepClass(f, old field, why string) {
	if before := old.get("status.qosClass").text(); before != "" && before != podresources.ServiceClass(p.spec.Value, p.kind.Since) {
		p.invalidText(f, before, why)
	}
}

// resizedLevel returns a Pod with nothing but the pod-level resources of a Pod that a client wrote
// through the resize subresource.
func resizedLevel(written document.Value) document.Value {
	resources := written.Lookup("spec", "resources")
	if !resources.Exists() {
		return document.Value{}
	}
	return document.NewObject().With("spec", document.NewObject().With("resources", resources))
}

// canResize reports whether the node of the first running container supports resizing.
func canResize(statuses document.Value) bool {
	for _, status := range statuses.Items() {
		if status.Lookup("state", "running").Exists() {
			return status.Get("resources").Exists()
		}
	}
	return true
}

// checkOrder requires the same containers in the same order.
func (p *podCheck) checkOrder(was field) bool {
	mark := len(p.errs)
	for _, name := range [...]string{containers, initContainers} {
		list, before := p.spec.get(name), was.get(name)
		if list.items() != before.items() {
			p.forbidden(list, name+" may not be added or removed on resize")
			continue
		}
		for i := range list.items() {
			if own := list.item(i).get("name"); own.text() != before.At(i).Get("name").StringOr("") {
				p.forbidden(own, name+" may not be renamed or reordered on resize")
			}
		}
	}
	return !p.failed(mark)
}

// checkResized forbids removing requests or limits. Messages call them what.
func (p *podCheck) checkResized(r, was field, what string) {
	for _, name := range [...]string{"requests", "limits"} {
		if list := r.get(name); lostKey(list.Value, was.Get(name)) {
			p.forbidden(list, what+" "+name+" cannot be removed")
		}
	}
}

func lostKey(list, was document.Value) bool {
	for key := range was.Members() {
		if !list.Get(key).Exists() {
			return true
		}
	}
	return false
}

// checkResizedContainer forbids changes other than those of cpu and memory.
func (p *podCheck) checkResizedContainer(list string, c, was field) {
	resources := withoutCompute(c.Get("resources"), was.Get("resources"))
	if p.kind.Since("1.37") { // before, containers with claims cannot be resized
		resources = resources.With("claims", c.Value.Lookup("resources", "claims"))
	}
	fixed := c.With("resources", resources)
	if !p.sameAs(c, fixed, was) {
		if list == containers || !p.kind.Since("1.36") {
			p.forbidden(p.spec, "only cpu and memory resources are mutable")
		} else {
			p.forbidden(c, "only cpu and memory resources for init or sidecar containers are mutable")
		}
	}
	if list == containers || c.get("restartPolicy").text() == "Always" || p.same(c, was) {
		return
	}
	for _, policy := range c.Get("resizePolicy").Items() {
		if policy.Get("restartPolicy").StringOr("") == "RestartContainer" {
			p.forbidden(c, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized")
		}
	}
}

// checkMemoryLimit forbids a lower or an additional memory limit, unless the container restarts for
// it.
func (p *podCheck) checkMemoryLimit(c, was field) {
	for _, policy := range c.Get("resizePolicy").Items() {
		if policy.Get("resourceName").StringOr("") == "memory" && policy.Get("restartPolicy").StringOr("") == "RestartContainer" {
			return
		}
	}
	limit, before := c.get("resources.limits").key("memory"), was.Value.Lookup("resources", "limits", "memory")
	if limit.isSet() && (!before.Exists() || amountOf(limit.Value).Cmp(amountOf(before)) < 0) {
		p.forbidden(limit, "memory limits cannot be decreased unless resizePolicy is RestartContainer")
	}
}

// withoutCompute returns resources with the cpu and memory of the old ones, and without
// claims.
func withoutCompute(r, was document.Value) document.Value {
	out := document.NewObject()
	for _, list := range [...]string{"limits", "requests"} {
		amounts := r.Get(list)
		for _, name := range [...]string{"cpu", "memory"} {
			if old := was.Lookup(list, name); old.Exists() {
				amounts = amounts.With(name, old)
			} else if amounts.Exists() {
				amounts = amounts.Without(name)
			}
		}
		if amounts.Len() > 0 {
			out = out.With(list, amounts)
		}
	}
	return out
}

// limited reports whether resources have requests or limits.
func (r field) limited() bool { return r.get("requests").members()+r.get("limits").members() > 0 }

// resizedPod validates changes of pod-level resources and returns the spec with the old
// amounts of cpu and memory there.
func (p *podCheck) resizedPod(was field) document.Value {
	r, before := p.spec.get("resources"), was.get("resources")
	if !r.limited() && !before.limited() {
		return p.spec.Value
	}
	if !r.isSet() {
		p.forbidden(r, "pod-level resources cannot be removed")
		return p.spec.Value
	}
	p.checkResized(r, before, "pod-level resource")
	fixed := withoutCompute(r.Value, before.Value)
	if claims := r.Get("claims"); claims.Exists() {
		fixed = fixed.With("claims", claims)
	}
	if fixed.Len() == 0 && !before.isSet() {
		fixed = document.Value{}
	}
	if !p.sameAs(r, fixed, before) {
		p.forbidden(p.spec, "only cpu and memory resources are mutable at pod-level")
	}
	return p.spec.With("resources", fixed)
}
