package kinds

// ingressClassStrategy is the strategy of networking.k8s.io/v1 IngressClass.
var ingressClassStrategy = Strategy{
	Group:      "networking.k8s.io",
	Resource:   "ingressclasses",
	Name:       subdomainName,
	Generation: []string{"spec"},
}
