package kinds

// daemonSetStrategy is the strategy of apps/v1 DaemonSet.
var daemonSetStrategy = Strategy{
	Group:       "apps",
	Resource:    "daemonsets",
	Name:        subdomainName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
}
