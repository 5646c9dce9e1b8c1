package kinds

import (
	"strings"
)

// priorityClassStrategy is the strategy of scheduling.k8s.io/v1 PriorityClass.
var priorityClassStrategy = Strategy{
	Group:      "scheduling.k8s.io",
	Resource:   "priorityclasses",
	Name:       subdomainName,
	Generation: []string{},
	Undeletable: func(name string) string {
		if _, ok := systemPriority(name); ok {
			return "this is a system priority class and cannot be deleted"
		}
		return ""
	},
}

// validatePriorityClass follows pkg/apis/scheduling/validation of Kubernetes 1.36.
func validatePriorityClass(c *check, object, old field) {
	const maxUserPriority = 1_000_000_000
	name, value, preemption := object.get("metadata.name"), object.get("value"), object.get("preemptionPolicy")
	if old.isSet() {
		if !c.same(value, old.get("value")) {
			c.forbidden(value, "may not be changed")
		}
		c.immutable(preemption, old.get("preemptionPolicy"))
		return
	}
	isDefault := object.get("globalDefault")
	switch {
	case strings.HasPrefix(name.text(), "system-"):
		if want, ok := systemPriority(name.text()); !ok || value.number() != want || isDefault.isTrue() {
			c.forbidden(name, "the prefix 'system-' is reserved for system priority classes")
		}
	case value.number() > maxUserPriority:
		c.forbidden(value, "may be at most 1000000000 for a user-defined class")
	}
	if preemption.isSet() {
		c.needOneOf(preemption, "Never,PreemptLowerPriority")
	}
}

// systemPriority returns the value of a priority class that every cluster has.
func systemPriority(name string) (int64, bool) {
	switch name {
	case "system-cluster-critical":
		return 2_000_000_000, true
	case "system-node-critical":
		return 2_000_001_000, true
	}
	return 0, false
}
