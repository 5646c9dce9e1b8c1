package kinds

// bindingStrategy is the strategy of v1 Binding.
var bindingStrategy = Strategy{
	Group:    "",
	Resource: "bindings",
	Name:     subdomainName,
}

// podStrategy is the strategy of v1 Pod.
var podStrategy = Strategy{
	Group:         "",
	Resource:      "pods",
	Name:          subdomainName,
	metadataAgain: changeFirst,
	ReturnDeleted: true,
	Graceful:      true,
	Reset:         podReset,
	ResetStatus:   podResetStatus,
	Selectable:    podFields,
	later:         &countedPodStrategy,
}

// countedPodStrategy is the strategy with generations.
var countedPodStrategy = Strategy{
	since:         "1.33",
	Group:         "",
	Resource:      "pods",
	Name:          subdomainName,
	metadataAgain: changeFirst,
	Generation:    []string{"spec"},
	ReturnDeleted: true,
	Graceful:      true,
	Reset:         podReset,
	ResetStatus:   podResetStatus,
	Selectable:    podFields,
}

var (
	podReset       = []string{"status"}
	podResetStatus = []string{"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"}
)

var podFields = []SelectableField{
	{Label: "spec.hostNetwork", Missing: "false"},
	{Label: "spec.host", Path: "spec.nodeName"},
	{Label: "spec.nodeName"},
	{Label: "spec.restartPolicy"},
	{Label: "spec.schedulerName"},
	{Label: "spec.serviceAccountName"},
	{Label: "status.nominatedNodeName"},
	{Label: "status.phase"},
	{Label: "status.podIPs", Path: "-"},
	{Label: "status.podIP"},
}
