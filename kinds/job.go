package kinds

// jobStrategy is the strategy of batch/v1 Job.
var jobStrategy = Strategy{
	Group:           "batch",
	Resource:        "jobs",
	Name:            subdomainName,
	metadataAgain:   wholeFirst,
	Generation:      []string{"spec"},
	OrphanByDefault: true,
	OrphanWarning: "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them " +
		"or set propagationPolicy=Orphan to suppress this warning",
	Reset:       []string{"status"},
	ResetStatus: []string{"spec"},
	Selectable: []SelectableField{
		{Label: "status.successful", Path: "status.succeeded", Missing: "0"},
	},
}

func warnJob(a *advice, object, old field) {
	a.podNames(object, old, podsAndHosts)
	if respecified(object, old) {
		a.jobSpec(object.get("spec"))
	}
}

// jobSpec warns about an indexed Job with more indexes than can be tracked, and about the pod
// template (pkg/api/job, WarningsForJobSpec).
func (a *advice) jobSpec(spec field) {
	const maxCompletions, maxParallelism = 100_000, 10_000
	if spec.get("completionMode").text() == "Indexed" && spec.get("completions").number() > maxCompletions && spec.get("parallelism").number() > maxParallelism {
		a.warn(spec, "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail")
	}
	a.podSpec(spec.get("template"), true)
}
