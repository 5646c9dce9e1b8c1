package kinds

// endpointsStrategy is the strategy of v1 Endpoints.
var endpointsStrategy = Strategy{
	Group:          "",
	Resource:       "endpoints",
	Storage:        "services/endpoints",
	Name:           subdomainName,
	CreateOnUpdate: true,
	Deprecated:     "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}
