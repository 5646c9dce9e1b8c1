package kinds

// daemonSetStrategy is the strategy of apps/v1 DaemonSet.
var daemonSetStrategy = Strategy{
	Group:         "apps",
	Resource:      "daemonsets",
	Name:          subdomainName,
	validatedOnce: "1.34",
	Generation:    []string{"spec"},
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
}

func validateDaemonSet(c *check, object, old field) {
	spec := object.get("spec")
	selector, template := spec.get("selector"), spec.get("template")
	if old.isSet() {
		c.immutable(selector, old.get("spec.selector"))
	}
	c.labelSelector(selector)
	if isSelector(selector.Value) {
		c.selects(selector, template)
	}
	if selector.isSet() && selector.get("matchLabels").members()+selector.get("matchExpressions").items() == 0 {
		c.invalid(selector, "empty selector is invalid for daemonset")
	}
	c.podTemplate(template)
	c.runsForEver(template, "DaemonSet")
	c.counts(spec, "minReadySeconds")
	c.daemonSetStrategy(spec.get("updateStrategy"))
	c.counts(spec, "revisionHistoryLimit")
}

func (c *check) daemonSetStrategy(strategy field) {
	switch kind := strategy.get("type"); kind.text() {
	case "OnDelete":
	case "RollingUpdate":
		rolling := strategy.get("rollingUpdate")
		if !rolling.isSet() {
			c.required(rolling, "")
			return
		}
		unavailable, surge := rolling.get("maxUnavailable"), rolling.get("maxSurge")
		for _, f := range [...]field{unavailable, surge} {
			c.numberOrPercent(f)
			c.atMost100Percent(f)
		}
		switch {
		case !isNone(unavailable) && !isNone(surge):
			c.invalid(surge, "may not be set when maxUnavailable is non-zero")
		case isNone(unavailable) && isNone(surge):
			c.required(unavailable, "cannot be 0 when maxSurge is 0")
		}
	default:
		c.notSupported(strategy, "RollingUpdate,OnDelete")
	}
}

func validateDaemonSetStatus(c *check, object, old field) {
	status := object.get("status")
	c.counts(status, "currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady", "observedGeneration",
		"updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount")
	c.notDecremented(status.get("collisionCount"), old.get("status.collisionCount"))
}

// warnDaemonSet warns about the pod template if it has changed.
func warnDaemonSet(a *advice, object, old field) {
	const generation = "deprecated.daemonset.template.generation"
	counted := func(f field) string { return f.get("metadata.annotations").key(generation).text() }
	if !old.isSet() || counted(object) != counted(old) {
		a.podSpec(object.get("spec.template"), true)
	}
}
