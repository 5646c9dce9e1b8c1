package kinds

import (
	"math"
	"strconv"
)

// priorityLevelConfigurationStrategy is the strategy of flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration.
var priorityLevelConfigurationStrategy = Strategy{
	Group:         "flowcontrol.apiserver.k8s.io",
	Resource:      "prioritylevelconfigurations",
	Name:          subdomainName,
	metadataAgain: repeatsWhole,
	Generation:    []string{"spec"},
	Reset:         []string{"status"},
	ResetStatus:   []string{"metadata", "spec"},
}

// keepsZeroShares is an annotation of the version v1beta3 alone.
const keepsZeroShares = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"

func validatePriorityLevel(c *check, object, _ field) {
	if annotations := object.get("metadata.annotations"); annotations.key(keepsZeroShares).Exists() {
		c.forbidden(annotations, "annotation '"+keepsZeroShares+"' is forbidden")
	}
	spec, name := object.get("spec"), object.get("metadata.name")
	kind, limited, exempt := spec.get("type"), spec.get("limited"), spec.get("exempt")
	if (name.text() == "exempt") != (kind.text() == "Exempt") {
		c.invalid(kind, "must be 'Exempt' if and only if `name` is 'exempt'")
	}
	switch kind.text() {
	case "Exempt":
		if limited.isSet() {
			c.forbidden(limited, c.undeclared("must be nil if the type is not Limited"))
			c.declaredResponse(limited)
		}
		if exempt.isSet() {
			c.natural(exempt.get("nominalConcurrencyShares"), nonNegative)
			c.between(exempt.get("lendablePercent"), 0, 100)
		}
	case "Limited":
		if exempt.isSet() {
			c.forbidden(exempt, c.undeclared("must be nil if the type is Limited"))
		}
		if limited.isSet() {
			validateLimitedLevel(c, limited)
		} else {
			c.required(limited, c.undeclared("must not be empty when type is Limited"))
		}
	default:
		c.levelType(kind, "Exempt,Limited")
		for _, other := range [...]field{exempt, limited} {
			if other.isSet() && c.kind.Since("1.37") {
				c.forbidden(other, "")
			}
		}
		c.declaredResponse(limited)
	}
	if fixed := mandatoryPriorityLevel(name.text()); fixed.Exists() {
		is, open := spec.Value, ""
		if name.text() == "exempt" {
			is, open = is.With("exempt", fixed.Get("exempt")), " except the 'spec.exempt' field"
		}
		if !c.sameAs(spec, is, c.root(fixed)) {
			c.invalid(spec, "spec of '"+name.text()+"'"+open+" must equal the fixed value")
		}
	}
	c.typedConditions(object.get("status.conditions"))
}

func validateLimitedLevel(c *check, limited field) {
	c.natural(limited.get("nominalConcurrencyShares"), nonNegative)
	c.between(limited.get("lendablePercent"), 0, 100)
	c.natural(limited.get("borrowingLimitPercent"), "if specified, must be a non-negative integer")
	response := limited.get("limitResponse")
	kind, queuing := response.get("type"), response.get("queuing")
	switch kind.text() {
	case "Reject":
		if queuing.isSet() {
			c.forbidden(queuing, c.undeclared("must be nil if limited.limitResponse.type is not Limited"))
		}
	case "Queue":
		if queuing.isSet() {
			validateQueuing(c, queuing)
		} else {
			c.required(queuing, c.undeclared("must not be empty if limited.limitResponse.type is Limited"))
		}
	default:
		c.levelType(kind, "Queue,Reject")
		if queuing.isSet() && c.kind.Since("1.37") {
			c.forbidden(queuing, "")
		}
	}
}

// levelType is needOneOf; before Kubernetes 1.36, an empty type is an unsupported one.
func (c *check) levelType(kind field, supported string) {
	if !kind.isEmpty() || c.kind.Since("1.36") {
		c.needOneOf(kind, supported)
	} else {
		c.notSupported(kind, supported)
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
		c.invalid(hand, "should not be greater than queues ("+strconv.FormatInt(deck, 10)+")")
	case math.Ceil(math.Log2(float64(deck))*float64(size)) > maxHashBits:
		c.invalid(hand, "required entropy bits of deckSize "+strconv.FormatInt(deck, 10)+" and handSize "+strconv.FormatInt(size, 10)+" should not be greater than "+strconv.Itoa(maxHashBits))
	}
}

func validatePriorityLevelStatus(c *check, object, _ field) {
	c.typedConditions(object.get("status.conditions"))
}
