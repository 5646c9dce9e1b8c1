package kinds

// resourceSliceStrategy is the strategy of resource.k8s.io/v1 ResourceSlice.
var resourceSliceStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "resourceslices",
	Name:          subdomainName,
	Generation:    []string{"spec"},
	ReturnDeleted: true,
	ResetStatus:   []string{"metadata", "spec"},
	Selectable: []SelectableField{
		{Label: "spec.driver"},
		{Label: "spec.nodeName"},
	},
}
