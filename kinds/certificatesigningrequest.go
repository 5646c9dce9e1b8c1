package kinds

// certificateSigningRequestStrategy is the strategy of certificates.k8s.io/v1 CertificateSigningRequest.
var certificateSigningRequestStrategy = Strategy{
	Group:       "certificates.k8s.io",
	Resource:    "certificatesigningrequests",
	Name:        subdomainName,
	Reset:       []string{"spec", "status"},
	ResetStatus: []string{"spec", "status.conditions"},
	Selectable: []SelectableField{
		{Label: "spec.signerName"},
	},
}
