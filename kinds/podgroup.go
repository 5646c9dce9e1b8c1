package kinds

// podGroupStrategy is the strategy of scheduling.k8s.io/v1alpha2 PodGroup.
var podGroupStrategy = Strategy{
	Group:       "scheduling.k8s.io",
	Resource:    "podgroups",
	Name:        subdomainName,
	Reset:       []string{"status"},
	ResetStatus: []string{"metadata", "spec"},
}
