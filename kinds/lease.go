package kinds

// leaseStrategy is the strategy of coordination.k8s.io/v1 Lease.
var leaseStrategy = Strategy{
	Group:          "coordination.k8s.io",
	Resource:       "leases",
	Name:           subdomainName,
	CreateOnUpdate: true,
	RequireVersion: true,
}

// leaseCandidateStrategy is the strategy of coordination.k8s.io/v1alpha2 LeaseCandidate.
var leaseCandidateStrategy = Strategy{
	Group:          "coordination.k8s.io",
	Resource:       "leasecandidates",
	Name:           subdomainName,
	CreateOnUpdate: true,
	RequireVersion: true,
}
