package kinds

import (
	"strconv"
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
			c.forbidden(value, "may not be changed in an update.")
		}
		c.immutable(preemption, old.get("preemptionPolicy"))
		return
	}
	isDefault := object.get("globalDefault")
	switch {
	case strings.HasPrefix(name.text(), "system-"):
		if why := notSystemClass(name.text(), value.number(), isDefault.isTrue()); why != "" {
			c.forbidden(name, "priority class names with 'system-' prefix are reserved for system use only. error: "+why)
		}
	case value.number() > maxUserPriority:
		c.forbidden(value, "maximum allowed value of a user defined priority is 1000000000")
	}
	if preemption.isSet() {
		c.needOneOf(preemption, "PreemptLowerPriority,Never")
	}
}

// notSystemClass returns why a class is not one of those that every cluster has, "" if it is.
func notSystemClass(name string, value int64, isDefault bool) string {
	switch want, ok := systemPriority(name); {
	case !ok:
		return name + " is not a known system priority class"
	case value != want:
		return "value of " + name + " PriorityClass must be " + strconv.FormatInt(want, 10)
	case isDefault:
		return "globalDefault of " + name + " PriorityClass must be false"
	}
	return ""
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
