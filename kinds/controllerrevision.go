package kinds

// controllerRevisionStrategy is the strategy of apps/v1 ControllerRevision.
var controllerRevisionStrategy = Strategy{
	Group:    "apps",
	Resource: "controllerrevisions",
	Name:     subdomainName,
}
