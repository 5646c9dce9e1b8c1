package kinds

// serviceStrategy is the strategy of v1 Service.
var serviceStrategy = Strategy{
	Group:          "",
	Resource:       "services",
	Storage:        "services/specs",
	Name:           labelName,
	CreateOnUpdate: true,
	ReturnDeleted:  true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"spec"},
	Selectable: []SelectableField{
		{Label: "spec.clusterIP"},
		{Label: "spec.type"},
	},
	validate:       validateService,
	validateStatus: validateServiceStatus,
}
