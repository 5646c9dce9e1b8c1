package kinds

// resourceQuotaStrategy is the strategy of v1 ResourceQuota.
var resourceQuotaStrategy = Strategy{
	Group:         "",
	Resource:      "resourcequotas",
	Name:          subdomainName,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
}
