package kinds

// podTemplateStrategy is the strategy of v1 PodTemplate.
var podTemplateStrategy = Strategy{
	Group:         "",
	Resource:      "podtemplates",
	Name:          subdomainName,
	Generation:    []string{"template"},
	ReturnDeleted: true,
}
