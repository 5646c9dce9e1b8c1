package kinds

// replicationControllerStrategy is the strategy of v1 ReplicationController.
var replicationControllerStrategy = Strategy{
	Group:           "",
	Resource:        "replicationcontrollers",
	Storage:         "controllers",
	Name:            subdomainName,
	Generation:      []string{"spec"},
	OrphanByDefault: true,
	Reset:           []string{"status"},
	ResetStatus:     []string{"spec"},
	Selectable: []SelectableField{
		{Label: "status.replicas", Missing: "0"},
	},
}
