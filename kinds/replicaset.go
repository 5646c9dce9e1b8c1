package kinds

// replicaSetStrategy is the strategy of apps/v1 ReplicaSet.
var replicaSetStrategy = Strategy{
	Group:       "apps",
	Resource:    "replicasets",
	Name:        subdomainName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
}
