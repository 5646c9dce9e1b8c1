package kinds

// ingressStrategy is the strategy of networking.k8s.io/v1 Ingress.
var ingressStrategy = Strategy{
	Group:       "networking.k8s.io",
	Resource:    "ingresses",
	Storage:     "ingress",
	Name:        subdomainName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
}
