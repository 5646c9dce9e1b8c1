package kinds

// storageVersionStrategy is the strategy of internal.apiserver.k8s.io/v1alpha1 StorageVersion.
var storageVersionStrategy = Strategy{
	Group:          "internal.apiserver.k8s.io",
	Resource:       "storageversions",
	Name:           subdomainName,
	RequireVersion: true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"metadata", "spec"},
}
