package kinds

// volumeAttributesClassStrategy is the strategy of storage.k8s.io/v1 VolumeAttributesClass.
var volumeAttributesClassStrategy = Strategy{
	Group:         "storage.k8s.io",
	Resource:      "volumeattributesclasses",
	Name:          subdomainName,
	ReturnDeleted: true,
}
