package kinds

// deviceTaintRuleStrategy is the strategy of resource.k8s.io/v1alpha3 DeviceTaintRule.
var deviceTaintRuleStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "devicetaintrules",
	Name:          subdomainName,
	Generation:    []string{"spec"},
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"metadata", "spec"},
}
