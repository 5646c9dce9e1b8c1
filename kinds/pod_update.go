package kinds

import (
	"math"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

func (c *check) podCheckOf(object field) *podCheck {
	metadata := object.get("metadata")
	return &podCheck{check: c, isPod: true, spec: object.get("spec"), metadata: metadata, annotations: metadata.get("annotations"), claims: c.root(document.Value{})}
}

func validatePod(c *check, object, old field) {
	p := c.podCheckOf(object)
	p.checkPod()
	if old.isSet() {
		p.checkUpdate(old)
		return
	}
	if list := p.spec.get(ephemeralContainers); list.items() > 0 {
		p.forbidden(list, "cannot be set on create")
	}
	if node := p.spec.get("nodeName"); !node.isEmpty() && p.spec.get("schedulingGates").items() > 0 {
		p.forbidden(node, "cannot be set until all schedulingGates have been cleared")
	}
	p.checkProfileAnnotations()
}

// checkPod applies the rules for pods to every write of the spec.
func (p *podCheck) checkPod() {
	p.checkAnnotations()
	p.checkSpec()
	if p.spec.get("serviceAccountName").isEmpty() {
		p.forbidTokens()
	}
	for _, name := range [...]string{containers, initContainers} {
		list := p.spec.get(name)
		for i := range list.items() {
			p.checkImageSpace(list.item(i))
		}
	}
}

// forbidTokens forbids service account tokens in a pod without a service account.
func (p *podCheck) forbidTokens() {
	volumes := p.spec.get("volumes")
	for i := range volumes.items() {
		sources := volumes.item(i).get("projected.sources")
		for j := range sources.items() {
			if token := sources.item(j).get("serviceAccountToken"); token.isSet() {
				p.forbidden(token, "must not be specified when serviceAccountName is not set")
			}
		}
	}
}

// checkUpdate requires that an update changes only images, activeDeadlineSeconds, tolerations
// and scheduling gates.
func (p *podCheck) checkUpdate(old field) {
	p.checkAnnotationUpdate(old)
	p.checkAnnotations() // once more
	was := old.get("spec")
	for _, name := range [...]string{containers, initContainers} {
		if list := p.spec.get(name); list.items() != was.get(name).items() {
			p.forbidden(list, "pod updates may not add or remove containers")
			return
		}
		p.checkUpdatedImages(p.spec.get(name))
	}
	deadline, before := p.spec.get("activeDeadlineSeconds"), was.get("activeDeadlineSeconds")
	switch {
	case deadline.isSet() && (deadline.number() < 0 || deadline.number() > math.MaxInt32):
		p.between(deadline, 0, math.MaxInt32)
		return
	case deadline.isSet() && before.isSet() && before.number() < deadline.number():
		p.invalid(deadline, "must be less than or equal to previous value")
		return
	case !deadline.isSet() && before.isSet():
		p.invalid(deadline, "must not update from a positive integer to nil value")
	}
	p.checkTolerationUpdate(was)
	p.checkGateUpdate(was)
	if !p.kind.Since("1.32") {
		p.keepClass(p.metadata, old, "Pod QoS is immutable")
	}
	p.checkFixedSpec(was)
}

// checkGateUpdate requires that scheduling gates are only removed. Of new gates with the same
// name, the last one is reported.
func (p *podCheck) checkGateUpdate(was field) {
	var seen seenTexts
	gates, had := p.spec.get("schedulingGates"), fieldTexts(was.Get("schedulingGates"), "name")
	for i := gates.items() - 1; i >= 0; i-- {
		if name := gates.item(i).get("name"); !had.has(name.text()) && !seen.add(name.text()) {
			p.forbidden(name, "only deletion is allowed, but found new scheduling gate '"+name.text()+"'")
		}
	}
}

// checkUpdatedImages applies the rules for images, which every write checks, once more.
func (p *podCheck) checkUpdatedImages(list field) {
	for i := range list.items() {
		p.need(list.item(i).get("image"))
		p.checkImageSpace(list.item(i))
	}
}

// checkAnnotationUpdate forbids changes of annotations that correspond to immutable fields.
func (p *podCheck) checkAnnotationUpdate(old field) {
	fixed := func(key string) bool { return key == names.MirrorPod || strings.HasPrefix(key, appArmorAnnotation) }
	before := old.get("metadata.annotations")
	for i := range before.members() {
		if key := before.Key(i); fixed(key) && !document.Equal(before.At(i), p.annotations.Get(key)) {
			p.forbidden(p.annotations.key(key), "may not remove or update "+fixedAnnotation(key))
		}
	}
	for i := range p.annotations.members() {
		if key := p.annotations.Key(i); fixed(key) && !before.Get(key).Exists() {
			p.forbidden(p.annotations.key(key), "may not add "+fixedAnnotation(key))
		}
	}
}

// fixedAnnotation describes an annotation that may not be changed.
func fixedAnnotation(key string) string {
	if key == names.MirrorPod {
		return "mirror pod annotation"
	}
	return "AppArmor annotations"
}

// checkTolerationUpdate requires that existing tolerations are kept; tolerationSeconds may
// change.
func (p *podCheck) checkTolerationUpdate(was field) {
	list := p.spec.get("tolerations")
	before := was.get("tolerations")
	for i := range before.items() {
		old, kept := before.At(i).Without("tolerationSeconds"), false
		for j := range list.items() {
			kept = kept || document.Equal(list.At(j).Without("tolerationSeconds"), old)
		}
		if !kept {
			p.forbidden(list, "existing toleration can not be modified except its tolerationSeconds")
			return
		}
	}
	p.tolerations(list) // once more
}

// checkFixedSpec compares the fields that an update must not change. A pod with scheduling
// gates may get additional node constraints.
func (p *podCheck) checkFixedSpec(was field) {
	fixed := p.spec.Value
	for _, name := range [...]string{containers, initContainers} {
		fixed = fixed.With(name, withOld(fixed.Get(name), was.Get(name), "image"))
	}
	for _, name := range [...]string{"activeDeadlineSeconds", "tolerations", "schedulingGates"} {
		fixed = fixed.With(name, was.Get(name))
	}
	if grace, _ := was.Get("terminationGracePeriodSeconds").Int(); grace < 0 && p.spec.get("terminationGracePeriodSeconds").number() == 1 {
		fixed = fixed.With("terminationGracePeriodSeconds", was.Get("terminationGracePeriodSeconds"))
	}
	if was.get("schedulingGates").items() > 0 {
		fixed = p.gatedSpec(fixed, was)
	}
	if spec := p.spec; !p.sameAs(spec, fixed, was) {
		p.forbidden(spec, "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"+
			"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)")
		p.nameChanges(spec, fixed, was.Value)
	}
}

// sameAs compares v, as the value of f, with the old field.
func (c *check) sameAs(f field, v document.Value, old field) bool {
	f.Value = v
	return c.same(f, old)
}

// withOld returns a list with one field of each item set to its value in the old list.
func withOld(list, old document.Value, name string) document.Value {
	if list.Kind() != document.List {
		return list
	}
	var b document.ListBuilder
	for i, item := range list.Items() {
		if i < old.Len() {
			item = item.With(name, old.At(i).Get(name))
		}
		b.Append(item)
	}
	return b.List()
}

// gatedSpec validates additions to the node selector and the node affinity of a pod with
// scheduling gates, and returns the spec without them.
func (p *podCheck) gatedSpec(fixed document.Value, was field) document.Value {
	selector := p.spec.get("nodeSelector")
	for key, value := range was.Get("nodeSelector").Members() {
		if !document.Equal(selector.Get(key), value) {
			p.invalid(selector, "only additions to spec.nodeSelector are allowed (no mutations or deletions)")
			break
		}
	}
	fixed = fixed.With("nodeSelector", was.Get("nodeSelector"))
	affinity, before := p.spec.get("affinity.nodeAffinity"), was.get("affinity.nodeAffinity")
	if p.same(affinity, before) {
		return fixed
	}
	p.checkAffinityUpdate(affinity, before)
	rest := fixed.Get("affinity")
	switch {
	case rest.Exists() && !was.Get("affinity").Exists() && !rest.Get("podAffinity").Exists() && !rest.Get("podAntiAffinity").Exists():
		return fixed.Without("affinity")
	case rest.Exists() || before.Exists():
		return fixed.Set(before.Value, "affinity", "nodeAffinity")
	}
	return fixed
}

func (p *podCheck) checkAffinityUpdate(affinity, before field) {
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	old := before.get(required + ".nodeSelectorTerms")
	terms := affinity.get(required + ".nodeSelectorTerms")
	if old.items() == 0 {
		return
	}
	if old.items() != terms.items() {
		p.invalid(terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
		return
	}
	for i := range old.items() {
		if !onlyAdds(terms.At(i), old.At(i)) {
			p.invalid(terms.item(i), "only additions are allowed (no mutations or deletions)")
		}
	}
}

// onlyAdds reports whether a term begins with the requirements of the old one.
func onlyAdds(term, old document.Value) bool {
	total := 0
	for _, name := range [...]string{"matchExpressions", "matchFields"} {
		is, was := term.Get(name), old.Get(name)
		total += was.Len()
		if is.Len() < was.Len() {
			return false
		}
		for i := range was.Len() {
			if !document.Equal(is.At(i), was.At(i)) {
				return false
			}
		}
	}
	return total > 0 || term.Get("matchExpressions").Len()+term.Get("matchFields").Len() == 0
}

// validatePodPart validates the ephemeralcontainers and resize subresources.
func validatePodPart(c *check, object, old field) {
	p := c.podCheckOf(object)
	mirror := old.get("metadata.annotations").Get(names.MirrorPod).Exists()
	switch c.subresource {
	case "ephemeralcontainers":
		if mirror {
			c.forbidden(object.getAs("", "[]"), "static pods do not support ephemeral containers")
			return
		}
		p.checkPod()
		p.checkAnnotationUpdate(old)
		p.checkEphemeralUpdate(old)
	case "resize":
		switch {
		case mirror:
			c.forbidden(object.getAs("", "[]"), "static pods cannot be resized")
		case old.get("spec.os.name").text() == "windows":
			c.forbidden(object.getAs("", "[]"), "windows pods cannot be resized")
		default:
			p.checkPod()
			p.checkResize(old)
		}
	}
}

// checkEphemeralUpdate requires that existing ephemeral containers do not change.
func (p *podCheck) checkEphemeralUpdate(old field) {
	list, before := p.spec.get(ephemeralContainers), old.get("spec").get(ephemeralContainers)
	for i := range before.items() {
		was := before.item(i)
		name, found := was.get("name").text(), -1
		for j := range list.items() {
			if list.item(j).get("name").text() == name {
				found = j
			}
		}
		if found < 0 {
			p.forbidden(list, "existing ephemeral containers "+strconv.Quote(name)+" may not be removed\n")
		} else if !p.same(list.item(found), was) {
			p.forbidden(list, "existing ephemeral containers "+strconv.Quote(name)+" may not be changed")
		}
	}
}
