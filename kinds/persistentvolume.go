package kinds

// persistentVolumeStrategy is the strategy of v1 PersistentVolume.
var persistentVolumeStrategy = Strategy{
	Group:         "",
	Resource:      "persistentvolumes",
	Name:          subdomainName,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
}
