package kinds

// cronJobStrategy is the strategy of batch/v1 CronJob.
var cronJobStrategy = Strategy{
	Group:       "batch",
	Resource:    "cronjobs",
	Name:        subdomainName,
	Generation:  []string{"spec"},
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
}
