package kinds

// mutatingWebhookConfigurationStrategy is the strategy of admissionregistration.k8s.io/v1 MutatingWebhookConfiguration.
var mutatingWebhookConfigurationStrategy = Strategy{
	Group:           "admissionregistration.k8s.io",
	Resource:        "mutatingwebhookconfigurations",
	Name:            subdomainName,
	AnyFinalizer:    true,
	Generation:      []string{"webhooks"},
	ExactGeneration: true,
	RequireVersion:  true,
}

// validatingWebhookConfigurationStrategy is the strategy of admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration.
var validatingWebhookConfigurationStrategy = Strategy{
	Group:           "admissionregistration.k8s.io",
	Resource:        "validatingwebhookconfigurations",
	Name:            subdomainName,
	AnyFinalizer:    true,
	Generation:      []string{"webhooks"},
	ExactGeneration: true,
	RequireVersion:  true,
}
