package kinds

import (
	"math"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
)

// resourceSliceStrategy is the strategy of resource.k8s.io/v1 ResourceSlice.
var resourceSliceStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "resourceslices",
	Name:          subdomainName,
	Generation:    []string{"spec"},
	CountsDropped: true,
	ReturnDeleted: true,
	ResetStatus:   []string{"metadata", "spec"},
	Selectable: []SelectableField{
		{Label: "spec.driver"},
		{Label: "spec.nodeName"},
	},
	since: "1.37",
	later: func(s *Strategy) {
		s.Selectable = append(s.Selectable, SelectableField{Label: "spec.pool.name"})
	},
}

func validateResourceSlice(c *check, object, old field) {
	spec, was := object.get("spec"), old.get("spec")
	driver, pool := spec.get("driver"), spec.get("pool")
	count, generation, name := pool.get("resourceSliceCount"), pool.get("generation"), pool.get("name")
	c.csiDriverName(driver)
	c.poolName(name, false)
	if count.number() <= 0 {
		c.invalid(count, "must be greater than zero")
	}
	if generation.number() < 0 {
		c.invalid(generation, "must be greater than or equal to zero")
	}
	if old.isSet() {
		c.immutable(name, was.get("pool.name"))
		c.immutable(driver, was.get("driver"))
		node := spec.get("nodeName")
		node.Value = orNull(node.Value)
		c.declaredImmutable(node, was.get("nodeName"))
	}
	validateDeviceLocation(c, spec, true)
	devices, counters := spec.get("devices"), spec.get("sharedCounters")
	if counters.isWritten() && devices.isWritten() && c.kind.Since("1.36") { // before, counters are dropped
		c.invalidText(spec, "", "only one of `sharedCounters` or `devices` is allowed")
	}
	validateDevices(c, devices, was.Value.Get("devices"), spec.Value.Get("perDeviceNodeSelection"))
	validateCounterSets(c, counters)
}

// validateDeviceLocation requires exactly one of nodeName, nodeSelector, allNodes and
// perDeviceNodeSelection, or their equivalents for a device.
func validateDeviceLocation(c *check, at field, slice bool) {
	name, selector, all, each := at.get("nodeName"), at.get("nodeSelector"), at.get("allNodes"), at.get("perDeviceNodeSelection")
	var given [4]string // without an allocation
	set := given[:0]
	if name.isSet() {
		if name.text() != "" {
			set = append(set, "`nodeName`")
			c.syntax(name, names.DNSSubdomain)
		} else {
			why := "must not be empty"
			if slice {
				why = "must be either unset or set to a non-empty string"
			}
			c.invalid(name, why)
		}
	}
	if selector.isSet() {
		set = append(set, "`nodeSelector`")
		validateNodeSelector(c, selector)
		if terms := selector.get("nodeSelectorTerms"); slice && terms.items() != 1 {
			c.invalid(terms, "must have exactly one node selector term")
		}
	}
	for i, flag := range [...]field{all, each} {
		if !flag.isSet() || !slice && flag == each {
			continue
		}
		if flag.isTrue() {
			set = append(set, [...]string{"`allNodes`", "`perDeviceNodeSelection`"}[i])
		} else {
			c.invalid(flag, "must be either unset or set to true")
		}
	}
	const ofSlice = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
	const ofDevice = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
	missing, several := ofSlice, ofSlice+", but multiple fields are set"
	if !slice {
		missing, several = ofDevice, ofDevice
	}
	switch {
	case len(set) == 0:
		c.required(at, missing)
	case len(set) > 1:
		c.invalidText(at, "{"+strings.Join(set, ", ")+"}", several)
	}
}

func validateDevices(c *check, devices field, stored document.Value, perDevice document.Value) {
	limit := 128
	for _, device := range devices.Value.Items() {
		if device.Get("taints").Len() > 0 || device.Get("consumesCounters").Len() > 0 {
			limit = 64
		}
	}
	if !c.itemsWithin(devices, limit) {
		return
	}
	known := map[string]document.Value{}
	for _, device := range stored.Items() {
		known[device.Get("name").StringOr("")] = device
	}
	var seen seenTexts
	own, _ := perDevice.Bool()
	for i := range devices.items() {
		device := devices.item(i)
		name := device.get("name")
		validateDevice(c, device, own, known[name.text()])
		twin := device
		if !c.kind.Since("1.35") {
			twin = name
		}
		c.distinct(twin, name.text(), &seen)
	}
}

// maxDeviceKey is the length of a qualified name with the longest domain and identifier, up to
// which messages show the key of an attribute or a capacity in full.
const maxDeviceKey = 63 + len("/") + 32

// validateDevice validates a device. Taints, and from Kubernetes 1.37 on capacities, are valid if
// they are those of the stored device.
func validateDevice(c *check, device field, own bool, stored document.Value) {
	const maxParts, maxTaints, maxCounters = 32, 16, 2
	attributes, capacity, taints, consumed := device.get("attributes"), device.get("capacity"), device.get("taints"), device.get("consumesCounters")
	c.syntax(device.get("name"), names.DNSLabel)
	if attributes.members()+capacity.members() > maxParts {
		c.invalidValue(device, document.NewInt(int64(attributes.members()+capacity.members())), "the total number of attributes and capacities must not exceed 32")
	}
	for i := range attributes.members() {
		attribute, name := attributes.memberWithin(i, maxDeviceKey)
		c.deviceQualifiedName(keyOf(attributes, attribute), name, false)
		whole, _ := attributes.memberAt(i)
		validateDeviceAttribute(c, attribute, whole)
	}
	sameTaints := stored.Exists() && document.Equal(stored.Get("taints"), taints.Value)
	sameCapacity := stored.Exists() && c.kind.Since("1.37") && document.Equal(stored.Get("capacity"), capacity.Value)
	for i := 0; i < capacity.members() && !sameCapacity; i++ {
		amount, name := capacity.memberWithin(i, maxDeviceKey)
		c.deviceQualifiedName(keyOf(capacity, amount), name, false)
		validateDeviceCapacity(c, amount, device.get("allowMultipleAllocations").isTrue())
	}
	if !sameTaints && c.itemsWithin(taints, maxTaints) {
		for i := range taints.items() {
			c.deviceTaint(taints.item(i))
		}
	}
	if c.itemsWithin(consumed, maxCounters) {
		var seen seenTexts
		for i := range consumed.items() {
			one := consumed.item(i)
			set := one.get("counterSet")
			if c.need(set) {
				declaredLabel(c, set, set.text())
			}
			validateCounters(c, one.get("counters"))
			c.distinctItem(one, "counterSet", &seen)
		}
	}
	switch {
	case own:
		validateDeviceLocation(c, device, false)
	case device.get("nodeName").isSet() || device.get("nodeSelector").isSet() || device.get("allNodes").isSet():
		c.invalidValue(device, document.NewNull(), "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec")
	}
	c.bindingConditions(device)
}

// keyOf returns the field for which errors about the key of a member are reported: the map, before Kubernetes 1.36
// the member.
func keyOf(m, member field) field {
	if m.check.kind.Since("1.36") {
		return m
	}
	return member
}

// validateDeviceAttribute validates an attribute. The path of whole shows the name of the attribute in full.
func validateDeviceAttribute(c *check, attribute, whole field) {
	const maxValue = 64
	var given [8]string // without an allocation
	values := given[:0]
	for _, name := range [...]string{"int", "bool", "string", "version", "bools", "ints", "strings", "versions"} {
		value := attribute.get(name)
		if !value.isSet() {
			continue
		}
		values = append(values, name)
		if strings.HasSuffix(name, "s") && value.items() == 0 {
			c.invalid(value, "must not be empty if specified")
		}
		for i := range max(value.items(), 1) {
			one := value
			if value.items() > 0 {
				one = value.item(i)
			}
			if strings.HasPrefix(name, "version") && !isSemanticVersion(one.text()) {
				c.invalid(one, "must be a string compatible with semver.org spec 2.0.0")
			}
			if !strings.HasPrefix(name, "bool") && !strings.HasPrefix(name, "int") {
				c.maxBytes(one, maxValue)
			}
		}
	}
	if len(values) != 1 {
		oneValue(c, attribute, whole, values)
	}
}

// isSemanticVersion reports whether a text is a semantic version (semver.org 2.0.0).
func isSemanticVersion(s string) bool {
	s, build, hasBuild := strings.Cut(s, "+")
	if hasBuild && !allIdentifiers(build, false) {
		return false
	}
	numbers, pre, hasPre := strings.Cut(s, "-")
	if hasPre && !allIdentifiers(pre, true) {
		return false
	}
	count := 0
	for number := range strings.SplitSeq(numbers, ".") {
		if count++; !allDigits(number) || len(number) > 1 && number[0] == '0' {
			return false
		}
	}
	return count == 3
}

// allIdentifiers validates the identifiers in a version's suffix. With strict, numeric ones
// must not have leading zeros.
func allIdentifiers(s string, strict bool) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return r > '~' || r != '-' && !names.IsAlphanumeric(byte(r)) }) {
			return false
		}
		if strict && len(part) > 1 && part[0] == '0' && allDigits(part) {
			return false
		}
	}
	return true
}

func validateDeviceCapacity(c *check, capacity field, shared bool) {
	policy := capacity.get("requestPolicy")
	if !policy.isSet() {
		return
	}
	if !shared {
		c.forbidden(policy, "allowMultipleAllocations must be true")
		return
	}
	normal, values, bounds := policy.get("default"), policy.get("validValues"), policy.get("validRange")
	switch {
	case values.items() > 0 && bounds.isSet():
		c.forbidden(policy, `exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`)
	case values.items() > 0 && !normal.isSet():
		c.required(normal, "required when validValues is defined")
	case bounds.isSet() && !normal.isSet():
		c.required(normal, "required when validRange is defined")
	case values.items() > 0:
		validateValidValues(c, values, normal.Value, capacity.Value.Get("value"))
	case bounds.isSet():
		validateValidRange(c, bounds, normal.Value, capacity.Value.Get("value"))
	}
}

func validateValidValues(c *check, values field, normal, most document.Value) {
	const limit = 10
	found := false
	for i := 1; i < values.items(); i++ {
		if value := values.item(i); amountOf(values.At(i-1)).Cmp(amountOf(value.Value)) > 0 {
			c.invalidAmount(value, value.Value, "values must be sorted in ascending order")
		}
	}
	if c.itemsWithin(values, limit) {
		var seen seenTexts
		for i := range values.items() {
			value := values.item(i)
			amount := amountOf(value.Value)
			if amount.Cmp(amountOf(most)) > 0 {
				c.invalidAmount(value, value.Value, "option is larger than capacity value: "+amountOf(most).String())
			}
			found = found || amount.Cmp(amountOf(normal)) == 0
			c.distinct(value, amount.RoundUp(0).String(), &seen)
		}
	}
	if !found {
		c.invalidAmount(values, normal, "default value is not valid according to the requestPolicy")
	}
}

func validateValidRange(c *check, bounds field, normal, most document.Value) {
	low, high, step := bounds.get("min"), bounds.get("max"), bounds.get("step")
	if !low.isSet() {
		c.required(low, "required when validRange is defined")
		return
	}
	least, usual, limit := amountOf(low.Value), amountOf(normal), amountOf(most)
	if least.Cmp(limit) > 0 {
		c.invalidAmount(low, low.Value, "min is larger than capacity value: "+limit.String())
	}
	tooLow, tooHigh := low, high
	if c.kind.Since("1.37") {
		tooLow = bounds.get("default")
		tooHigh = tooLow
	}
	if usual.Cmp(least) < 0 {
		c.invalidAmount(tooLow, normal, "default is less than min: "+least.String())
	}
	if high.isSet() {
		top := amountOf(high.Value)
		if least.Cmp(top) > 0 {
			c.invalidAmount(high, low.Value, "min is larger than max: "+top.String())
		}
		if top.Cmp(limit) > 0 {
			c.invalidAmount(high, high.Value, "max is larger than capacity value: "+limit.String())
		}
		if usual.Cmp(top) > 0 {
			c.invalidAmount(tooHigh, normal, "default is more than max: "+top.String())
		}
	}
	if !step.isSet() {
		return
	}
	if c.kind.Since("1.37") && quantity.Sign(step.text()) <= 0 {
		c.invalidAmount(step, step.Value, "must be greater than zero")
		return
	}
	stride := amountOf(step.Value)
	if next := least.Add(stride); next.Cmp(limit) > 0 {
		c.invalidAmount(step, step.Value, "one step "+next.String()+" is larger than capacity value: "+limit.String())
	}
	if c.kind.Since("1.37") && !c.naturalBounds(bounds, normal) {
		return
	}
	for _, value := range [...]document.Value{normal, high.Value} {
		if value.Exists() && !isStep(amountOf(value), least, stride) {
			c.invalidAmount(step, value, "value is not a multiple of a given step ("+stride.String()+") from ("+least.String()+")")
		}
	}
}

// naturalBounds requires that the bounds of a range and the default are not negative and fit an
// int64, in which steps are counted.
func (c *check) naturalBounds(bounds field, normal document.Value) bool {
	mark := len(c.errs)
	for _, name := range [...]string{"default", "min", "max", "step"} {
		bound := bounds.get(name)
		if name == "default" {
			bound.Value = normal
		}
		switch n, fits := amountOf(bound.Value).Int64(); {
		case n < 0:
			c.invalidAmount(bound, bound.Value, zeroAtLeast)
		case !fits:
			c.invalidAmount(bound, bound.Value, "must not be larger than "+strconv.FormatInt(math.MaxInt64, 10))
		}
	}
	return !c.failed(mark)
}

// isStep reports whether value is start plus a multiple of step.
func isStep(value, start, step quantity.Quantity) bool {
	n := step.Wrapped(0)
	return n != 0 && (value.Wrapped(0)-start.Wrapped(0))%n == 0
}

func validateCounterSets(c *check, sets field) {
	const limit = 8
	if !c.itemsWithin(sets, limit) {
		return
	}
	var seen seenTexts
	for i := range sets.items() {
		set := sets.item(i)
		name := set.get("name")
		if c.need(name) {
			declaredLabel(c, name, name.text())
		}
		validateCounters(c, set.get("counters"))
		c.distinctItem(set, "name", &seen)
	}
}

func validateCounters(c *check, counters field) {
	const limit = 32
	switch {
	case counters.members() == 0:
		c.required(counters, "")
		return
	case counters.members() > limit:
		c.tooMany(counters, limit)
		return
	}
	for i := range counters.members() {
		_, name := counters.memberAt(i)
		declaredLabel(c, counters, name)
	}
}

func warnResourceSlice(a *advice, object, _ field) {
	if driver := object.get("spec.driver"); driver.text() != strings.ToLower(driver.text()) {
		a.warn(driver, "driver names should be lowercase; "+strconv.Quote(driver.text())+" contains uppercase characters")
	}
}
