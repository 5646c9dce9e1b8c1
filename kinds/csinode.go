package kinds

// csiNodeStrategy is the strategy of storage.k8s.io/v1 CSINode.
var csiNodeStrategy = Strategy{
	Group:          "storage.k8s.io",
	Resource:       "csinodes",
	Name:           subdomainName,
	RequireVersion: true,
	ReturnDeleted:  true,
}
