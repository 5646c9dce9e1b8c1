package kinds

// runtimeClassStrategy is the strategy of node.k8s.io/v1 RuntimeClass.
var runtimeClassStrategy = Strategy{
	Group:          "node.k8s.io",
	Resource:       "runtimeclasses",
	Name:           subdomainName,
	AnyFinalizer:   true,
	CreateOnUpdate: true,
	RequireVersion: true,
}
