package kinds

// resourceClaimStrategy is the strategy of resource.k8s.io/v1 ResourceClaim.
var resourceClaimStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "resourceclaims",
	Name:          subdomainName,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"metadata", "spec"},
}

// resourceClaimTemplateStrategy is the strategy of resource.k8s.io/v1 ResourceClaimTemplate.
var resourceClaimTemplateStrategy = Strategy{
	Group:         "resource.k8s.io",
	Resource:      "resourceclaimtemplates",
	Name:          subdomainName,
	ReturnDeleted: true,
	ResetStatus:   []string{"metadata", "spec"},
}
