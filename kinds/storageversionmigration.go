package kinds

// storageVersionMigrationStrategy is the strategy of storagemigration.k8s.io/v1beta1 StorageVersionMigration.
var storageVersionMigrationStrategy = Strategy{
	Group:          "storagemigration.k8s.io",
	Resource:       "storageversionmigrations",
	Name:           subdomainName,
	RequireVersion: true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"metadata", "spec"},
}
