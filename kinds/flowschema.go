package kinds

// flowSchemaStrategy is the strategy of flowcontrol.apiserver.k8s.io/v1 FlowSchema.
var flowSchemaStrategy = Strategy{
	Group:       "flowcontrol.apiserver.k8s.io",
	Resource:    "flowschemas",
	Name:        subdomainName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"metadata", "spec"},
}
