package kinds

// priorityLevelConfigurationStrategy is the strategy of flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration.
var priorityLevelConfigurationStrategy = Strategy{
	Group:       "flowcontrol.apiserver.k8s.io",
	Resource:    "prioritylevelconfigurations",
	Name:        subdomainName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"metadata", "spec"},
}
