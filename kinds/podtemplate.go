package kinds

// podTemplateStrategy is the strategy of v1 PodTemplate.
var podTemplateStrategy = Strategy{
	Resource:      "podtemplates",
	Name:          subdomainName,
	Generation:    []string{"template"},
	ReturnDeleted: true,
}

func validatePodTemplate(c *check, object, _ field) { c.podTemplate(object.get("template")) }

func warnPodTemplate(a *advice, object, old field) { a.template(object, old, "template") }
