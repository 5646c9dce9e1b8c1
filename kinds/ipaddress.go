package kinds

// ipAddressStrategy is the strategy of networking.k8s.io/v1 IPAddress.
var ipAddressStrategy = Strategy{
	Group:    "networking.k8s.io",
	Resource: "ipaddresses",
	Name:     segmentName,
}
