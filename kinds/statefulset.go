package kinds

// statefulSetStrategy is the strategy of apps/v1 StatefulSet.
var statefulSetStrategy = Strategy{
	Group:       "apps",
	Resource:    "statefulsets",
	Name:        labelName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
}
