package kinds

// persistentVolumeClaimStrategy is the strategy of v1 PersistentVolumeClaim.
var persistentVolumeClaimStrategy = Strategy{
	Group:         "",
	Resource:      "persistentvolumeclaims",
	Name:          subdomainName,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
}
