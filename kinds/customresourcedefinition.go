package kinds

// customResourceDefinitionStrategy is the strategy of apiextensions.k8s.io/v1 CustomResourceDefinition.
var customResourceDefinitionStrategy = Strategy{
	Group:          "apiextensions.k8s.io",
	Resource:       "customresourcedefinitions",
	AnyFinalizer:   true,
	Storage:        "apiextensions.k8s.io/customresourcedefinitions",
	Name:           subdomainName,
	Generation:     []string{"spec"},
	RequireVersion: true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"spec"},
	Repeats:        true,
	Defines:        true,
}
