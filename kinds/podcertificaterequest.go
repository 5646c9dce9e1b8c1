package kinds

// podCertificateRequestStrategy is the strategy of certificates.k8s.io/v1beta1 PodCertificateRequest.
var podCertificateRequestStrategy = Strategy{
	Group:          "certificates.k8s.io",
	Resource:       "podcertificaterequests",
	Name:           subdomainName,
	RequireVersion: true,
	Reset:          []string{},
	ResetStatus:    []string{"spec"},
	Selectable: []SelectableField{
		{Label: "spec.nodeName"},
		{Label: "spec.podName"},
		{Label: "spec.signerName"},
	},
}
