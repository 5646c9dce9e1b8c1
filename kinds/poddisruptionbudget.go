package kinds

// podDisruptionBudgetStrategy is the strategy of policy/v1 PodDisruptionBudget.
var podDisruptionBudgetStrategy = Strategy{
	Group:             "policy",
	Resource:          "poddisruptionbudgets",
	Name:              segmentName,
	metadataAgain:     repeatsNothing,
	partMetadataAgain: repeatsNothing,
	AnyFinalizer:      true,
	MetadataLast:      true,
	Generation:        []string{"spec"},
	RequireVersion:    true,
	Reset:             []string{"status"},
	ResetStatus:       []string{"spec"},
}

func validatePodDisruptionBudget(c *check, object, old field) {
	spec := object.get("spec")
	least, most := spec.get("minAvailable"), spec.get("maxUnavailable")
	if least.isSet() && most.isSet() {
		c.invalid(spec, "minAvailable and maxUnavailable cannot be both set")
	}
	c.numberOrPercent(least)
	c.atMost100Percent(least)
	c.numberOrPercent(most)
	c.atMost100Percent(most)
	c.labelSelector(spec.get("selector"))
	c.oneOfIfSet(spec.get("unhealthyPodEvictionPolicy"), "AlwaysAllow,IfHealthyBudget")
}

func validatePodDisruptionBudgetStatus(c *check, object, old field) {
	status := object.get("status")
	c.conditions(status.get("conditions"))
	for _, name := range [...]string{"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"} {
		c.minimum(status.get(name), 0)
	}
}
