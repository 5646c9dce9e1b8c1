package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// nodeStrategy is the strategy of v1 Node.
var nodeStrategy = Strategy{
	Resource:      "nodes",
	Storage:       "minions",
	Name:          subdomainName,
	metadataAgain: wholeFirst,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
	Selectable: []SelectableField{
		{Label: "spec.unschedulable", Missing: "false"},
	},
}

// validateNode validates a node. An update repeats some rules, and the status subresource has only
// those of an update.
func validateNode(c *check, object, old field) {
	if c.subresource == "" {
		validateNodeAnnotations(c, object.get("metadata.annotations"))
		validateTaints(c, object.getAs("spec.taints", "metadata.taints"))
		validateNodeResources(c, object.get("status"))
		c.positive(object.getAs("status.nodeInfo.swap.capacity", "metadata.nodeSwapStatus.capacity"), aboveZero)
		validateDeclaredFeatures(c, object.get("status.declaredFeatures"))
		validatePodRanges(c, object.get("spec.podCIDRs"))
	}
	if old.isSet() {
		c.metadataAt = len(c.errs)
		validateNodeUpdate(c, object, old)
	}
}

func validateNodeResources(c *check, status field) {
	for _, list := range [...]string{"capacity", "allocatable"} {
		amounts := status.get(list)
		for i := range amounts.members() {
			amount, resource := amounts.fieldAt(i)
			c.resourceAmount(amount, resource)
		}
	}
}

// validatePodRanges requires CIDRs, of which two must be of different IP families.
func validatePodRanges(c *check, ranges field) {
	bad := -1 // the first one that is no CIDR
	for i := range ranges.items() {
		c.addressRange(ranges.item(i))
		_, isRange := parseRange(ranges.item(i).text(), true)
		if !isRange && bad < 0 {
			bad = i
		}
	}
	if ranges.items() > 1 && bad >= 0 {
		c.internalError(ranges, "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR["+strconv.Itoa(bad)+"]: <nil> (invalid CIDR address: "+ranges.item(bad).text()+")")
	}
	if ranges.items() > 1 && !isDualStack(ranges.Value) {
		c.invalid(ranges, "may specify no more than one CIDR for each IP family")
	}
}

func validateTaints(c *check, taints field) {
	var seen seenTexts
	for i := range taints.items() {
		taint := taints.item(i)
		key, effect := taint.get("key"), taint.get("effect")
		c.syntax(key, names.QualifiedName)
		if why := names.LabelValue(taint.Value.Get("value").StringOr("")); why != "" {
			c.invalid(taint.get("value"), joined(why, ";"))
		}
		c.needOneOf(effect, taintEffects)
		if seen.add(effect.text() + "\x00" + key.text()) {
			c.add(schema.ErrorDuplicate, taint, "taints must be unique by key and effect pair")
		}
	}
}

// validateDeclaredFeatures requires a sorted list without duplicates. Each feature has parts
// in upper camel case, separated by slashes.
func validateDeclaredFeatures(c *check, features field) {
	for i := range features.items() {
		feature := features.item(i)
		if why := wrongFeatureName(feature.text()); why != "" {
			c.invalid(feature, "invalid feature name "+strconv.Quote(feature.text())+": "+why)
		}
		if i == 0 {
			continue
		}
		switch before := features.item(i - 1).text(); {
		case before == feature.text():
			c.duplicate(feature)
		case before > feature.text():
			c.invalid(feature, "list must be sorted alphabetically")
		}
	}
}

// wrongFeatureName returns why the name of a feature is invalid, "" if it is valid.
func wrongFeatureName(text string) string {
	const syntax = "must start with an UpperCamelCase segment, with subsequent segments separated by '/' " +
		"(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
	switch {
	case len(text) > names.MaxSubdomain:
		return "must be no more than " + strconv.Itoa(names.MaxSubdomain) + " characters"
	case text == "" || text[0] < 'A' || text[0] > 'Z':
		return syntax
	}
	for segment := range strings.SplitSeq(text, "/") {
		if segment == "" || segment[0] < 'A' {
			return syntax
		}
		for i := range len(segment) {
			if !names.IsAlphanumeric(segment[i]) {
				return syntax
			}
		}
	}
	return ""
}

// isDualStack reports whether a list has one CIDR of each IP family.
func isDualStack(ranges document.Value) bool {
	if ranges.Len() != 2 {
		return false
	}
	a, ok := parseRange(ranges.At(0).StringOr(""), true)
	b, both := parseRange(ranges.At(1).StringOr(""), true)
	return ok && both && a.Addr().Unmap().Is4() != b.Addr().Unmap().Is4()
}

// validateNodeUpdate requires that fields that identify a node do not change once they are
// set, and validates what each update of a node or its status must meet.
func validateNodeUpdate(c *check, object, old field) {
	validateNodeAnnotations(c, object.get("metadata.annotations"))
	validateNodeResources(c, object.get("status"))
	validateDeclaredFeatures(c, object.get("status.declaredFeatures"))
	addresses := object.get("status.addresses")
	var seen seenTexts
	for i := range addresses.items() {
		address := addresses.item(i)
		if seen.add(address.Value.Get("type").StringOr("") + "\x00" + address.Value.Get("address").StringOr("")) {
			c.duplicate(address)
		}
	}
	ranges, provider, external := object.get("spec.podCIDRs"), object.get("spec.providerID"), object.get("spec.externalID")
	if was := old.get("spec.podCIDRs"); was.items() > 0 {
		c.keptRanges(ranges, was.Value)
	}
	switch was := old.get("spec.providerID"); {
	case was.isEmpty() || was.text() == provider.text():
	case c.kind.Since("1.37") && provider.isEmpty():
		c.invalidValue(provider, document.NewNull(), "field cannot be cleared once set")
	case c.kind.Since("1.37"):
		c.invalidValue(provider, document.NewNull(), "field cannot be modified once set")
	default:
		c.forbidden(provider, "node updates may not change providerID except from \"\" to valid")
	}
	validateTaints(c, object.getAs("spec.taints", "metadata.taints"))
	if was := old.get("spec.externalID"); was.text() != external.text() {
		c.forbidden(external, "may not be updated")
	}
}

// keptRanges requires that the CIDRs of a node's pods do not change. Each changed one is an error
// for the list.
func (c *check) keptRanges(ranges field, was document.Value) {
	const why = "node updates may not change podCIDR except from \"\" to valid"
	if ranges.items() != was.Len() {
		c.forbidden(ranges, why)
		return
	}
	for i := range was.Len() {
		if !document.Equal(ranges.At(i), was.At(i)) {
			c.forbidden(ranges, why)
		}
	}
}

func warnNode(a *advice, object, _ field) {
	spec := object.get("spec")
	if source := spec.get("configSource"); source.isSet() {
		a.warn(source, "the feature is removed")
	}
	if id := spec.get("externalID"); id.text() != "" {
		a.warn(id, "this field is deprecated, and is unused by Kubernetes")
	}
	ranges := spec.get("podCIDRs")
	for i := range ranges.items() {
		a.addressRange(ranges.item(i))
	}
}
