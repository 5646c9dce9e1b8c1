package kinds

// podStrategy is the strategy of v1 Pod.
var podStrategy = Strategy{
	Resource:      "pods",
	Name:          subdomainName,
	metadataAgain: changeFirst,
	ReturnDeleted: true,
	Graceful:      true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"},
	Selectable: []SelectableField{
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
	},
	since: "1.33",
	later: func(s *Strategy) { s.Generation = []string{"spec"} },
}
