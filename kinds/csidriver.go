package kinds

// csiDriverStrategy is the strategy of storage.k8s.io/v1 CSIDriver.
var csiDriverStrategy = Strategy{
	Group:             "storage.k8s.io",
	Resource:          "csidrivers",
	Name:              subdomainName,
	Generation:        []string{"spec"},
	NoFirstGeneration: true,
	RequireVersion:    true,
	ReturnDeleted:     true,
}
