package kinds

// volumeAttachmentStrategy is the strategy of storage.k8s.io/v1 VolumeAttachment.
var volumeAttachmentStrategy = Strategy{
	Group:          "storage.k8s.io",
	Resource:       "volumeattachments",
	Name:           subdomainName,
	RequireVersion: true,
	ReturnDeleted:  true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"metadata", "spec"},
}
