package quota

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
)

// podNames are the names in a quota that belong to pods.
var podNames = []string{
	"pods", "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage",
	"limits.cpu", "limits.memory", "limits.ephemeral-storage",
}

// required are the names for which each container must have an amount if a quota has them.
var required = []string{"cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"}

const (
	requests = "requests."
	// deviceClasses is the prefix of extended resources that stand for a device class.
	deviceClasses = "deviceclass.resource.kubernetes.io/"
)

// tracksPods reports whether pods use huge pages or an extended resource by this name.
func tracksPods(name string) bool {
	amount, requested := strings.CutPrefix(name, requests)
	return podresources.IsHugePages(amount) || requested && (!podresources.IsNative(name) || strings.HasPrefix(amount, deviceClasses))
}

// extended reports whether a container's resource is an extended one, which a quota can limit.
func extended(name string) bool {
	return podresources.IsExtended(name) || strings.HasPrefix(name, deviceClasses)
}

// usePod adds what a pod uses.
func usePod(pod document.Value, now time.Time, used Amounts) {
	if ended(pod, now) {
		return
	}
	spec := pod.Get("spec")
	used.Add(amountsOf(podresources.Requested(spec), podLimits(spec)))
}

// ended reports whether a pod has succeeded or failed, or should be gone.
func ended(pod document.Value, now time.Time) bool {
	switch pod.Lookup("status", "phase").StringOr("") {
	case "Failed", "Succeeded":
		return true
	}
	metadata := pod.Get("metadata")
	grace, graceful := metadata.Get("deletionGracePeriodSeconds").Int()
	deleted, err := time.Parse(time.RFC3339, metadata.Get("deletionTimestamp").StringOr(""))
	return err == nil && graceful && now.After(deleted.Add(time.Duration(grace)*time.Second))
}

// podLimits returns the limits of a pod, with its overhead where there is a limit.
func podLimits(spec document.Value) Amounts {
	total := podresources.OfPod(spec, "limits", podresources.IsPodLevel)
	for name, amount := range podresources.Read(spec.Get("overhead")) {
		if limit, ok := total[name]; ok && !limit.IsZero() {
			total[name] = limit.Add(amount)
		}
	}
	return total
}

// amountsOf returns requests and limits by their names in a quota.
func amountsOf(requested, limits Amounts) Amounts {
	used := Amounts{"pods": whole(1)}
	for _, name := range [...]string{"cpu", "memory", "ephemeral-storage"} {
		if amount, ok := requested[name]; ok {
			used[name], used[requests+name] = amount, amount
		}
		if amount, ok := limits[name]; ok {
			used["limits."+name] = amount
		}
	}
	for name, amount := range requested {
		switch {
		case podresources.IsHugePages(name):
			used[name], used[requests+name] = amount, amount
		case extended(name):
			used[requests+name] = amount
		}
	}
	return used
}

// unspecified returns what a quota requires of each container. A pod that has amounts of its own need
// not specify those of its containers.
func unspecified(pod document.Value, limited []string) string {
	spec := pod.Get("spec")
	for _, which := range [...]string{"requests", "limits"} {
		for name := range spec.Lookup("resources", which).Members() {
			if podresources.IsPodLevel(name) {
				return ""
			}
		}
	}
	var missing []string
	for _, name := range required {
		if !slices.Contains(limited, name) {
			continue
		}
		var without []string
		for _, field := range [...]string{"containers", "initContainers"} {
			for _, container := range spec.Get(field).Items() {
				resources := container.Get("resources")
				specified := amountsOf(podresources.Read(resources.Get("requests")), podresources.Read(resources.Get("limits")))
				if _, ok := specified[name]; !ok {
					without = append(without, container.Get("name").StringOr(""))
				}
			}
		}
		if len(without) > 0 {
			slices.Sort(without)
			missing = append(missing, fmt.Sprintf("%s for: %s", name, strings.Join(without, ",")))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "must specify " + strings.Join(missing, "; ")
}

// updatesPod reports whether a pod is resized, or gets or loses a deadline.
func updatesPod(subresource string, pod, old document.Value) bool {
	return subresource == "resize" || subresource == "" && rescopedPod(pod, old)
}

// rescopedPod reports whether a pod gets or loses a deadline. The other properties that scopes select
// cannot change.
func rescopedPod(pod, old document.Value) bool { return terminating(pod) != terminating(old) }

// terminating reports whether a pod has a deadline, which the scope Terminating selects.
func terminating(pod document.Value) bool {
	deadline, ok := pod.Lookup("spec", "activeDeadlineSeconds").Int()
	return ok && deadline >= 0
}

// selectsPod reports whether a scope selects a pod.
func selectsPod(pod document.Value, s selector) bool {
	bestEffort := pod.Lookup("status", "qosClass").StringOr("") == "BestEffort"
	switch s.scope {
	case "Terminating":
		return terminating(pod)
	case "NotTerminating":
		return !terminating(pod)
	case "BestEffort":
		return bestEffort
	case "NotBestEffort":
		return !bestEffort
	case "PriorityClass":
		return s.matches(pod.Lookup("spec", "priorityClassName").StringOr(""))
	case "CrossNamespacePodAffinity":
		return crossesNamespaces(pod)
	}
	return false
}

// crossesNamespaces reports whether a pod has an affinity to pods of other namespaces.
func crossesNamespaces(pod document.Value) bool {
	affinity := pod.Lookup("spec", "affinity")
	for _, field := range [...]string{"podAffinity", "podAntiAffinity"} {
		for _, term := range affinity.Lookup(field, "requiredDuringSchedulingIgnoredDuringExecution").Items() {
			if crosses(term) {
				return true
			}
		}
		for _, term := range affinity.Lookup(field, "preferredDuringSchedulingIgnoredDuringExecution").Items() {
			if crosses(term.Get("podAffinityTerm")) {
				return true
			}
		}
	}
	return false
}

func crosses(term document.Value) bool {
	return term.Get("namespaces").Len() > 0 || term.Get("namespaceSelector").Exists()
}
