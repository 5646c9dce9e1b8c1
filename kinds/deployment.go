package kinds

// deploymentStrategy is the strategy of apps/v1 Deployment.
var deploymentStrategy = Strategy{
	Group:       "apps",
	Resource:    "deployments",
	Name:        subdomainName,
	Generation:  []string{"spec", "metadata.annotations"},
	Reset:       []string{"status"},
	ResetStatus: []string{"spec", "metadata.labels"},
}
