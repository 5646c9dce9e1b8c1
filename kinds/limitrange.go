package kinds

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/internal/engine/semantic"
)

// limitRangeStrategy is the strategy of v1 LimitRange.
var limitRangeStrategy = Strategy{
	Resource:       "limitranges",
	Name:           subdomainName,
	metadataAgain:  repeatsWhole,
	GenerateName:   true,
	CreateOnUpdate: true,
}

func validateLimitRange(c *check, object, _ field) {
	limits := object.get("spec.limits")
	var types seenTexts
	for i := range limits.items() {
		limit := limits.item(i)
		kind := limit.get("type")
		c.limitType(kind)
		if types.add(kind.text()) {
			c.duplicate(kind)
		}
		validateLimitNames(c, limit, kind.text())
		validateLimitAmounts(c, limit, kind.text())
	}
}

// limitType requires Container, Pod, PersistentVolumeClaim, or a name with a domain.
func (c *check) limitType(f field) {
	if !c.syntax(f, names.QualifiedName) || strings.Contains(f.text(), "/") {
		return
	}
	if !among(f.text(), "Container,PersistentVolumeClaim,Pod") {
		c.invalid(f, "must be a standard limit type or fully qualified")
	}
}

// validateLimitNames validates the names of limited resources. Limits of type Pod have no
// defaults.
func validateLimitNames(c *check, limit field, kind string) {
	for _, name := range [...]string{"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"} {
		amounts := limit.get(name)
		if kind == "Pod" && strings.HasPrefix(name, "default") {
			if amounts.members() > 0 {
				c.forbidden(amounts, "may not be specified when `type` is 'Pod'")
			}
			continue
		}
		for i := range amounts.members() {
			amount, resource := amounts.memberAt(i)
			if kind == "Pod" || kind == "Container" {
				c.containerResource(amount, resource)
			} else {
				c.resourceName(amount, resource)
			}
		}
	}
	least, most := limit.get("min.storage"), limit.get("max.storage")
	if kind == "PersistentVolumeClaim" && !least.isSet() && !most.isSet() {
		c.required(limit.getAs("max", "limits"), "either minimum or maximum storage value is required, but neither was provided")
	}
}

// validateLimitAmounts validates the amounts of each resource. kube-apiserver has no order of resources.
func validateLimitAmounts(c *check, limit field, kind string) {
	lists := [...]string{"min", "max", "default", "defaultRequest", "maxLimitRequestRatio"}
	for i, list := range lists {
		amounts := limit.get(list)
		for j := range amounts.members() {
			resource := amounts.Key(j)
			known := func(earlier string) bool { return limit.get(earlier).key(resource).isSet() }
			if !slices.ContainsFunc(lists[:i], known) {
				validateLimitsOf(c, limit, kind, resource)
			}
		}
	}
}

// limitOrders are pairs of limits of which the first may not exceed the second, in the order in which
// kube-apiserver compares them.
var limitOrders = [...][2]string{{"min", "max"}, {"min", "defaultRequest"}, {"defaultRequest", "max"}, {"defaultRequest", "default"}, {"min", "default"}, {"default", "max"}}

// validateLimitsOf validates the amounts of a resource: min <= defaultRequest <= default <= max.
func validateLimitsOf(c *check, limit field, kind, resource string) {
	for _, pair := range limitOrders {
		lower, upper := pair[0], pair[1]
		if kind == "Pod" && (strings.HasPrefix(lower, "default") || strings.HasPrefix(upper, "default")) {
			continue
		}
		low, high := limit.get(lower).key(resource), limit.get(upper).key(resource)
		if low.isSet() && high.isSet() && amountOf(low.Value).Cmp(amountOf(high.Value)) > 0 {
			validateLimitOrder(c, low, high, lower, upper)
		}
	}
	validateLimitRatio(c, limit, resource)
	if kind != "Pod" {
		validateNoOvercommit(c, limit, resource)
	}
}

// validateLimitOrder adds the error for two amounts in the wrong order, for the field that
// kube-apiserver reports: a default if one of the two is.
func validateLimitOrder(c *check, low, high field, lower, upper string) {
	at := low
	if lower == "min" && upper != "max" {
		at = high
	}
	shown := at
	switch { // kube-apiserver shows the other value for a default
	case upper == "default" && lower == "min":
		shown = low
	case lower == "default":
		shown = high
	}
	limit := limitTerm(upper)
	if lower == "defaultRequest" && upper == "default" {
		limit = "default limit"
	}
	c.invalidText(at, shown.amount(), limitTerm(lower)+" value "+low.amount()+" is greater than "+limit+" value "+high.amount())
}

// limitTerm returns the name of a limit in messages.
func limitTerm(name string) string {
	if name == "defaultRequest" {
		return "default request"
	}
	return name
}

// validateNoOvercommit requires that the request equals the limit for a resource that cannot
// be overcommitted.
func validateNoOvercommit(c *check, limit field, resource string) {
	request, bound := limit.get("defaultRequest").key(resource), limit.get("default").key(resource)
	exclusive := !podresources.IsNative(resource) || podresources.IsHugePages(resource)
	if exclusive && request.isSet() && bound.isSet() && !semantic.EqualAmount(request.Value, bound.Value) {
		c.invalid(request, "default value "+bound.amount()+" must equal to defaultRequest value "+request.amount()+" in "+resource)
	}
}

// validateLimitRatio requires a ratio of at least 1 that is possible between minimum and
// maximum.
func validateLimitRatio(c *check, limit field, resource string) {
	ratio := limit.get("maxLimitRequestRatio").key(resource)
	if !ratio.isSet() {
		return
	}
	if amountOf(ratio.Value).Float() < 1 {
		c.invalidText(ratio, ratio.amount(), "ratio "+ratio.amount()+" is less than 1")
	}
	least, most := limit.get("min").key(resource), limit.get("max").key(resource)
	if !least.isSet() || !most.isSet() {
		return
	}
	if r, highest := comparedRatios(amountOf(ratio.Value), amountOf(most.Value), amountOf(least.Value)); r > highest {
		c.invalidText(ratio, ratio.amount(), "ratio "+ratio.amount()+" is greater than max/min = "+strconv.FormatFloat(highest, 'f', 6, 64))
	}
}

// comparedRatios returns a ratio and most/least, which it may not exceed. As in kube-apiserver, the
// amounts are integers of 64 bits, of thousandths if all three are small enough; greater
// amounts lose their upper bits.
func comparedRatios(ratio, most, least quantity.Quantity) (r, highest float64) {
	const maxThousandths = math.MaxInt64 / 1000
	r = float64(ratio.Wrapped(0))
	high, low := most.Wrapped(0), least.Wrapped(0)
	if ratio.Wrapped(0) < maxThousandths && high < maxThousandths && low < maxThousandths {
		r, high, low = float64(ratio.Wrapped(-3))/1000, most.Wrapped(-3), least.Wrapped(-3)
	}
	return r, float64(high) / float64(low)
}
