package kinds

// apiServiceStrategy is the strategy of apiregistration.k8s.io/v1 APIService.
var apiServiceStrategy = Strategy{
	Group:          "apiregistration.k8s.io",
	Resource:       "apiservices",
	Storage:        "apiregistration.k8s.io/apiservices",
	Name:           subdomainName,
	AnyFinalizer:   true,
	RequireVersion: true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"metadata", "spec"},
}
