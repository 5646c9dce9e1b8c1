package podresources

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
)

// The classes of quality of service.
const (
	bestEffort = "BestEffort"
	burstable  = "Burstable"
	guaranteed = "Guaranteed"
)

// ServiceClass returns the quality of service of a pod with the given spec: Guaranteed if every
// container has limits for cpu and memory and equal requests, BestEffort if none has limits or
// requests, else Burstable. Pod-level resources take precedence. since reports whether the
// Kubernetes version is at least the given one.
func ServiceClass(spec document.Value, since func(version string) bool) string {
	own, exact := spec.Get("resources"), since("1.37")
	if own.Exists() && since("1.34") && (!exact || podLevel(own)) {
		return classOfSums(own)
	}
	var containers []document.Value
	for _, list := range [...]string{"containers", "initContainers"} {
		for _, c := range spec.Get(list).Items() {
			containers = append(containers, c.Get("resources"))
		}
	}
	if !exact {
		return classOfSums(containers...)
	}
	class := ""
	for _, c := range containers {
		switch one := classOfSums(c); {
		case class == "":
			class = one
		case class != one:
			return burstable
		}
	}
	if class == "" {
		return bestEffort
	}
	return class
}

// podLevel reports whether resources have an amount that a pod itself can have.
func podLevel(resources document.Value) bool {
	for _, list := range [...]string{"requests", "limits"} {
		for name := range resources.Get(list).Members() {
			if IsPodLevel(name) {
				return true
			}
		}
	}
	return false
}

// classOfSums returns the class of containers by the sums of their requests and of their limits,
// which Kubernetes compared before version 1.37.
func classOfSums(containers ...document.Value) string {
	requests, limits, all := Amounts{}, Amounts{}, true
	for _, resources := range containers {
		requests.Add(computing(resources.Get("requests")))
		own := computing(resources.Get("limits"))
		limits.Add(own)
		all = all && len(own) == 2
	}
	if len(requests) == 0 && len(limits) == 0 {
		return bestEffort
	}
	for name, limit := range limits {
		request, given := requests[name]
		all = all && given && request.Cmp(limit) == 0
	}
	if all && len(requests) == len(limits) {
		return guaranteed
	}
	return burstable
}

// computing returns the cpu and memory amounts that are greater than zero.
func computing(v document.Value) Amounts {
	a := Read(v)
	for name, q := range a {
		if name != "cpu" && name != "memory" || q.Cmp(quantity.Quantity{}) <= 0 {
			delete(a, name)
		}
	}
	return a
}
