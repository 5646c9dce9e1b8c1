package kinds

import "github.com/patchlab-dev/patchlab/internal/engine/names"

// deviceTaintRuleStrategy is the strategy of resource.k8s.io/v1 DeviceTaintRule.
var deviceTaintRuleStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "devicetaintrules",
	Name:          subdomainName,
	Generation:    []string{"spec"},
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"metadata", "spec"},
	since:         "1.37", // the first with resource.k8s.io/v1
	later:         func(s *Strategy) { s.RequireVersion, s.ReturnDeleted = true, false },
}

func validateDeviceTaintRule(c *check, object, _ field) {
	spec := object.get("spec")
	selector := spec.get("deviceSelector")
	if driver := selector.get("driver"); driver.isSet() {
		c.csiDriverName(driver)
	}
	if pool := selector.get("pool"); pool.isSet() {
		c.poolName(pool, false)
	}
	if device := selector.get("device"); device.isSet() {
		c.syntax(device, names.DNSLabel)
	}
	c.deviceTaint(spec.get("taint"))
}

func validateDeviceTaintRuleStatus(c *check, object, _ field) {
	const limit = 8
	conditions := object.get("status.conditions")
	c.conditions(conditions)
	c.maxItems(conditions, limit)
}
