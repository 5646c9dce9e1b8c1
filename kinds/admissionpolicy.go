package kinds

// mutatingAdmissionPolicyStrategy is the strategy of admissionregistration.k8s.io/v1 MutatingAdmissionPolicy.
var mutatingAdmissionPolicyStrategy = Strategy{
	Group:          "admissionregistration.k8s.io",
	Resource:       "mutatingadmissionpolicies",
	Name:           subdomainName,
	AnyFinalizer:   true,
	Generation:     []string{"spec"},
	RequireVersion: true,
}

// validatingAdmissionPolicyStrategy is the strategy of admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy.
var validatingAdmissionPolicyStrategy = Strategy{
	Group:          "admissionregistration.k8s.io",
	Resource:       "validatingadmissionpolicies",
	Name:           subdomainName,
	AnyFinalizer:   true,
	Generation:     []string{"spec"},
	RequireVersion: true,
	Reset:          []string{"status"},
	ResetStatus:    []string{"metadata", "spec"},
}
