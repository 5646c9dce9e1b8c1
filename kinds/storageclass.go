package kinds

// storageClassStrategy is the strategy of storage.k8s.io/v1 StorageClass.
var storageClassStrategy = Strategy{
	Group:         "storage.k8s.io",
	Resource:      "storageclasses",
	Name:          subdomainName,
	ReturnDeleted: true,
}
