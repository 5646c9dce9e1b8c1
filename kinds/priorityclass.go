package kinds

// priorityClassStrategy is the strategy of scheduling.k8s.io/v1 PriorityClass.
var priorityClassStrategy = Strategy{
	Group:      "scheduling.k8s.io",
	Resource:   "priorityclasses",
	Name:       subdomainName,
	Generation: []string{},
}
