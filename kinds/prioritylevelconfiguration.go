package kinds

import (
	"math"
	"strconv"
)

// priorityLevelConfigurationStrategy is the strategy of flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration.
var priorityLevelConfigurationStrategy = Strategy{
	Group:       "flowcontrol.apiserver.k8s.io",
	Resource:    "prioritylevelconfigurations",
	Name:        subdomainName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"metadata", "spec"},
}

// keepsZeroShares is an annotation of the version v1beta3 alone.
const keepsZeroShares = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"

func validatePriorityLevel(c *check, object, _ field) {
	if annotations := object.get("metadata.annotations"); annotations.key(keepsZeroShares).Exists() {
		c.forbidden(annotations, "the annotation "+keepsZeroShares+" is only for v1beta3")
	}
	spec, name := object.get("spec"), object.get("metadata.name")
	kind, limited, exempt := spec.get("type"), spec.get("limited"), spec.get("exempt")
	if (name.text() == "exempt") != (kind.text() == "Exempt") {
		c.invalid(kind, "must be 'Exempt' if and only if the name is 'exempt'")
	}
	switch kind.text() {
	case "Exempt":
		if limited.isSet() {
			c.forbidden(limited, "may not be specified for type Exempt")
		}
		if exempt.isSet() {
			c.minimum(exempt.get("nominalConcurrencyShares"), 0)
			c.between(exempt.get("lendablePercent"), 0, 100)
		}
	case "Limited":
		if exempt.isSet() {
			c.forbidden(exempt, "may not be specified for type Limited")
		}
		if limited.isSet() {
			validateLimitedLevel(c, limited)
		} else {
			c.required(limited, "must be specified for type Limited")
		}
	default:
		c.needOneOf(kind, "Exempt,Limited")
	}
	if fixed := mandatoryPriorityLevel(name.text()); fixed.Exists() {
		is := spec.Value
		if name.text() == "exempt" {
			is = is.With("exempt", fixed.Get("exempt"))
		}
		if !c.sameAs(spec, is, c.root(fixed)) {
			c.invalid(spec, "the spec of '"+name.text()+"' is fixed, except the field 'exempt' of 'exempt'")
		}
	}
	c.typedConditions(object.get("status.conditions"))
}

func validateLimitedLevel(c *check, limited field) {
	c.minimum(limited.get("nominalConcurrencyShares"), 0)
	c.between(limited.get("lendablePercent"), 0, 100)
	c.minimum(limited.get("borrowingLimitPercent"), 0)
	response := limited.get("limitResponse")
	kind, queuing := response.get("type"), response.get("queuing")
	switch kind.text() {
	case "Reject":
		if queuing.isSet() {
			c.forbidden(queuing, "may not be specified for type Reject")
		}
	case "Queue":
		if queuing.isSet() {
			validateQueuing(c, queuing)
		} else {
			c.required(queuing, "must be specified for type Queue")
		}
	default:
		c.needOneOf(kind, "Queue,Reject")
	}
}

// validateQueuing requires a hand size and a number of queues for which one hash has enough
// bits (shuffle sharding).
func validateQueuing(c *check, queuing field) {
	const maxQueues, maxHashBits = 10_000_000, 60
	length, queues, hand := queuing.get("queueLengthLimit"), queuing.get("queues"), queuing.get("handSize")
	if length.number() <= 0 {
		c.invalid(length, "must be positive")
	}
	deck := queues.number()
	switch {
	case deck <= 0:
		c.invalid(queues, "must be positive")
	case deck > maxQueues:
		c.invalid(queues, "must not be greater than "+strconv.Itoa(maxQueues))
	}
	switch size := hand.number(); {
	case size <= 0:
		c.invalid(hand, "must be positive")
	case size > deck:
		c.invalid(hand, "must not be greater than queues ("+strconv.FormatInt(deck, 10)+")")
	case math.Ceil(math.Log2(float64(deck))*float64(size)) > maxHashBits:
		c.invalid(hand, "requires, with this number of queues, more than "+strconv.Itoa(maxHashBits)+" bits of a hash")
	}
}

func validatePriorityLevelStatus(c *check, object, _ field) {
	c.typedConditions(object.get("status.conditions"))
}
