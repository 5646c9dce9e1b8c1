package kinds

// serviceCIDRStrategy is the strategy of networking.k8s.io/v1 ServiceCIDR.
var serviceCIDRStrategy = Strategy{
	Group:       "networking.k8s.io",
	Resource:    "servicecidrs",
	Name:        subdomainName,
	Reset:       []string{"status"},
	ResetStatus: []string{"metadata", "spec"},
}
