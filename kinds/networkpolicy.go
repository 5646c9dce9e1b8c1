package kinds

// networkPolicyStrategy is the strategy of networking.k8s.io/v1 NetworkPolicy.
var networkPolicyStrategy = Strategy{
	Group:           "networking.k8s.io",
	Resource:        "networkpolicies",
	Name:            subdomainName,
	Generation:      []string{"spec"},
	ExactGeneration: true,
}
