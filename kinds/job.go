package kinds

// jobStrategy is the strategy of batch/v1 Job.
var jobStrategy = Strategy{
	Group:           "batch",
	Resource:        "jobs",
	Name:            subdomainName,
	Generation:      []string{"spec"},
	OrphanByDefault: true,
	OrphanWarning: "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them " +
		"or set propagationPolicy=Orphan to suppress this warning",
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
	Selectable: []SelectableField{
		{Label: "status.successful", Path: "status.succeeded", Missing: "0"},
	},
}
