package kinds

// clusterTrustBundleStrategy is the strategy of certificates.k8s.io/v1alpha1 ClusterTrustBundle.
var clusterTrustBundleStrategy = Strategy{
	Group:          "certificates.k8s.io",
	Resource:       "clustertrustbundles",
	Name:           segmentName,
	RequireVersion: true,
	Selectable: []SelectableField{
		{Label: "spec.signerName"},
	},
}
