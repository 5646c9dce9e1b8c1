package kinds

// namespaceStrategy is the strategy of v1 Namespace.
var namespaceStrategy = Strategy{
	Group:         "",
	Resource:      "namespaces",
	Name:          labelName,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
	Selectable: []SelectableField{
		{Label: "status.phase"},
	},
}
