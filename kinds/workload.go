package kinds

// workloadStrategy is the strategy of scheduling.k8s.io/v1alpha2 Workload.
var workloadStrategy = Strategy{
	Group:    "scheduling.k8s.io",
	Resource: "workloads",
	Name:     subdomainName,
}
