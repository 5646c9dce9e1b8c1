package kinds

// deviceClassStrategy is the strategy of resource.k8s.io/v1 DeviceClass.
var deviceClassStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "deviceclasses",
	Name:          subdomainName,
	Generation:    []string{"spec"},
	ReturnDeleted: true,
	ResetStatus:   []string{"metadata", "spec"},
}
