package kinds

// mutatingAdmissionPolicyBindingStrategy is the strategy of admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding.
var mutatingAdmissionPolicyBindingStrategy = Strategy{
	Group:          "admissionregistration.k8s.io",
	Resource:       "mutatingadmissionpolicybindings",
	Name:           subdomainName,
	AnyFinalizer:   true,
	Generation:     []string{"spec"},
	RequireVersion: true,
}

// validatingAdmissionPolicyBindingStrategy is the strategy of admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding.
var validatingAdmissionPolicyBindingStrategy = Strategy{
	Group:          "admissionregistration.k8s.io",
	Resource:       "validatingadmissionpolicybindings",
	Name:           subdomainName,
	AnyFinalizer:   true,
	Generation:     []string{"spec"},
	RequireVersion: true,
}
