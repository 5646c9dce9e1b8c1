package kinds

// endpointSliceStrategy is the strategy of discovery.k8s.io/v1 EndpointSlice.
var endpointSliceStrategy = Strategy{
	Group:      "discovery.k8s.io",
	Resource:   "endpointslices",
	Name:       subdomainName,
	Generation: []string{"!metadata", "metadata.labels"},
}
