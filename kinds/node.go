package kinds

// nodeStrategy is the strategy of v1 Node.
var nodeStrategy = Strategy{
	Group:       "",
	Resource:    "nodes",
	Storage:     "minions",
	Name:        subdomainName,
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
	Selectable: []SelectableField{
		{Label: "spec.unschedulable", Missing: "false"},
	},
}
