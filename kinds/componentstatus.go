package kinds

// componentStatusStrategy is the strategy of v1 ComponentStatus.
var componentStatusStrategy = Strategy{
	Group:      "",
	Resource:   "componentstatuses",
	Name:       subdomainName,
	Deprecated: "v1 ComponentStatus is deprecated in v1.19+",
}
