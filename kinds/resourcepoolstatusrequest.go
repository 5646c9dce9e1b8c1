package kinds

// resourcePoolStatusRequestStrategy is the strategy of resource.k8s.io/v1alpha3 ResourcePoolStatusRequest.
var resourcePoolStatusRequestStrategy = Strategy{
	Group:          "resource.k8s.io",
	Resource:       "resourcepoolstatusrequests",
	Name:           subdomainName,
	RequireVersion: true,
	ReturnDeleted:  true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"metadata", "spec"},
}
