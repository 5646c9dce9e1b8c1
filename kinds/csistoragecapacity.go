package kinds

// csiStorageCapacityStrategy is the strategy of storage.k8s.io/v1 CSIStorageCapacity.
var csiStorageCapacityStrategy = Strategy{
	Group:          "storage.k8s.io",
	Resource:       "csistoragecapacities",
	Name:           subdomainName,
	RequireVersion: true,
}
