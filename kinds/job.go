package kinds

// jobStrategy is the strategy of batch/v1 Job.
var jobStrategy = Strategy{
	Group:           "batch",
	Resource:        "jobs",
	Name:            subdomainName,
	Generation:      []string{"spec"},
	OrphanByDefault: true,
	Reset:           []string{"status"},
	ResetStatus:     []string{"spec"},
	Selectable: []SelectableField{
		{Label: "status.successful", Path: "status.succeeded", Missing: "0"},
	},
}
