package plugins

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
)

// limitRangerAnnotation is the annotation that lists what the plugin has set in a pod.
const limitRangerAnnotation = "kubernetes.io/limit-ranger"

// The types of limits in a LimitRange.
const (
	limitContainer = "Container"
	limitPod       = "Pod"
	limitClaim     = "PersistentVolumeClaim"
)

// limited reports whether LimitRanges apply to a write: to new pods, resized pods, and claims. Objects
// that are being deleted are exempt.
func (c *call) limited() (pod, claim bool) {
	if c.Old.Lookup("metadata", "deletionTimestamp").Exists() {
		return false, false
	}
	claim = c.creates("", "persistentvolumeclaims") || c.updates("", "persistentvolumeclaims")
	return c.creates("", "pods") || c.does(cluster.OperationUpdate, "", "pods", "resize"), claim
}

// setDefaultLimits sets the default limits and requests of the namespace's LimitRanges in the
// containers of a pod.
func setDefaultLimits(c *call) *cluster.Status {
	if pod, _ := c.limited(); !pod {
		return nil
	}
	ranges, st := c.list("", "limitranges", c.Namespace)
	if st != nil {
		return st
	}
	for _, r := range ranges {
		requests, limits := containerDefaults(r)
		set := setContainerDefaults(c, "containers", "container", requests, limits)
		set = append(set, setContainerDefaults(c, "initContainers", "init container", requests, limits)...)
		if len(set) > 0 {
			c.set(document.NewString("LimitRanger plugin set: "+strings.Join(set, "; ")), "metadata", "annotations", limitRangerAnnotation)
		}
	}
	return nil
}

// containerDefaults returns the default requests and limits of containers in a LimitRange.
func containerDefaults(limitRange document.Value) (requests, limits document.Value) {
	requests, limits = document.NewObject(), document.NewObject()
	for _, limit := range limitRange.Lookup("spec", "limits").Items() {
		if limit.Get("type").StringOr("") == limitContainer {
			requests, limits = with(requests, limit.Get("defaultRequest")), with(limits, limit.Get("default"))
		}
	}
	return requests, limits
}

// setContainerDefaults sets defaults in one of the lists of containers of a pod. The result describes what was set, for
// the annotation; what is the name of such a container in it.
func setContainerDefaults(c *call, field, what string, requests, limits document.Value) (set []string) {
	containers := c.Object.Lookup("spec", field)
	for i, container := range containers.Items() {
		container, requested := withDefaults(container, "requests", requests)
		container, limited := withDefaults(container, "limits", limits)
		name := " for " + what + " " + container.Get("name").StringOr("")
		if len(requested) > 0 {
			set = append(set, strings.Join(requested, ", ")+" request"+name)
		}
		if len(limited) > 0 {
			set = append(set, strings.Join(limited, ", ")+" limit"+name)
		}
		containers = containers.WithItem(i, container)
	}
	if containers.Len() > 0 {
		c.set(containers, "spec", field)
	}
	return set
}

// with returns the object with the members of another one.
func with(object, more document.Value) document.Value {
	for key, value := range more.Members() {
		object = object.With(key, value)
	}
	return object
}

// withDefaults returns a container with the amounts that its requests or limits lack, and their
// names.
func withDefaults(container document.Value, field string, amounts document.Value) (document.Value, []string) {
	var set []string
	for name, amount := range amounts.Members() {
		if !container.Lookup("resources", field, name).Exists() {
			container = container.Set(amount, "resources", field, name)
			set = append(set, name)
		}
	}
	slices.Sort(set)
	return container, set
}

// checkLimits refuses a pod or a claim that is outside the limits of the namespace's LimitRanges.
func checkLimits(c *call) *cluster.Status {
	pod, claim := c.limited()
	if !pod && !claim {
		return nil
	}
	ranges, st := c.list("", "limitranges", c.Namespace)
	if st != nil {
		return st
	}
	for _, r := range ranges {
		var broken []string
		for _, limit := range r.Lookup("spec", "limits").Items() {
			l := limits{kind: limit.Get("type").StringOr(""), least: podresources.Read(limit.Get("min")),
				most: podresources.Read(limit.Get("max")), ratio: podresources.Read(limit.Get("maxLimitRequestRatio"))}
			if pod {
				broken = append(broken, l.checkPod(c.Object.Get("spec"))...)
			} else if l.kind == limitClaim {
				broken = append(broken, l.checkClaim(podresources.Read(c.Object.Lookup("spec", "resources", "requests")))...)
			}
		}
		if broken = unique(broken); len(broken) == 1 {
			return c.Forbid(broken[0])
		} else if len(broken) > 1 {
			return c.Forbid("[" + strings.Join(broken, ", ") + "]")
		}
	}
	return nil
}

// unique returns the texts in their order, each once.
func unique(texts []string) []string {
	var out []string
	for _, text := range texts {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// limits is an item of a LimitRange.
type limits struct {
	kind               string
	least, most, ratio podresources.Amounts
}

// checkPod returns what the limits forbid in a pod: of each container, or of all together.
func (l limits) checkPod(spec document.Value) []string {
	var broken []string
	switch l.kind {
	case limitContainer:
		for _, field := range [...]string{"containers", "initContainers"} {
			for _, container := range spec.Get(field).Items() {
				resources := container.Get("resources")
				broken = append(broken, l.check(podresources.Read(resources.Get("requests")), podresources.Read(resources.Get("limits")))...)
			}
		}
	case limitPod:
		broken = l.check(podTotal(spec, "requests"), podTotal(spec, "limits"))
	}
	return broken
}

// podTotal returns the total requests or limits of a pod. Processor and memory of the pod itself
// replace those of its containers.
func podTotal(spec document.Value, which string) podresources.Amounts {
	return podresources.OfPod(spec, which, func(name string) bool { return name == "cpu" || name == "memory" })
}

// checkClaim returns what the limits forbid in the requests of a claim.
func (l limits) checkClaim(requests podresources.Amounts) []string {
	broken := l.checkLeast(requests, nil)
	for _, name := range slices.Sorted(maps.Keys(l.most)) {
		most := l.most[name]
		request, _, allowed := compared(requests[name], quantity.Quantity{}, most)
		if _, ok := requests[name]; !ok {
			broken = append(broken, fmt.Sprintf("maximum %s usage per %s is %s.  No request is specified", name, l.kind, most))
		} else if request > allowed {
			broken = append(broken, fmt.Sprintf("maximum %s usage per %s is %s, but request is %s", name, l.kind, most, requests[name]))
		}
	}
	return broken
}

// check returns what the limits forbid in requests and limits.
func (l limits) check(requests, most podresources.Amounts) []string {
	broken := l.checkLeast(requests, most)
	for _, name := range slices.Sorted(maps.Keys(l.most)) {
		request, limit, allowed := compared(requests[name], most[name], l.most[name])
		if _, ok := most[name]; !ok {
			broken = append(broken, fmt.Sprintf("maximum %s usage per %s is %s.  No limit is specified", name, l.kind, l.most[name]))
		} else if limit > allowed {
			broken = append(broken, fmt.Sprintf("maximum %s usage per %s is %s, but limit is %s", name, l.kind, l.most[name], most[name]))
		} else if request > allowed {
			broken = append(broken, fmt.Sprintf("maximum %s usage per %s is %s, but request is %s", name, l.kind, l.most[name], requests[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.ratio)) {
		broken = append(broken, l.checkRatio(name, requests[name], most[name])...)
	}
	return broken
}

func (l limits) checkLeast(requests, most podresources.Amounts) []string {
	var broken []string
	for _, name := range slices.Sorted(maps.Keys(l.least)) {
		request, limit, least := compared(requests[name], most[name], l.least[name])
		_, isLimited := most[name]
		if _, ok := requests[name]; !ok {
			broken = append(broken, fmt.Sprintf("minimum %s usage per %s is %s.  No request is specified", name, l.kind, l.least[name]))
		} else if request < least {
			broken = append(broken, fmt.Sprintf("minimum %s usage per %s is %s, but request is %s", name, l.kind, l.least[name], requests[name]))
		} else if isLimited && limit < least {
			broken = append(broken, fmt.Sprintf("minimum %s usage per %s is %s, but limit is %s", name, l.kind, l.least[name], most[name]))
		}
	}
	return broken
}

// checkRatio returns whether the limit of a resource is too high for its request.
func (l limits) checkRatio(name string, request, limit quantity.Quantity) []string {
	requested, limited, _ := compared(request, limit, l.ratio[name])
	text := fmt.Sprintf("%s max limit to request ratio per %s is %s, but ", name, l.kind, l.ratio[name])
	switch {
	case requested == 0:
		return []string{text + "no request is specified or request is 0"}
	case limited == 0:
		return []string{text + "no limit is specified or limit is 0"}
	}
	ratio, scale, most := float64(limited)/float64(requested), 1.0, l.ratio[name].Wrapped(0)
	if most <= mostMilli {
		scale, most = 1000, l.ratio[name].Wrapped(-3)
	}
	if ratio*scale > float64(most) {
		return []string{text + fmt.Sprintf("provided ratio is %f", ratio)}
	}
	return nil
}

// mostMilli is the largest amount that is compared in thousandths.
const mostMilli = math.MaxInt64 / 1000

// compared returns amounts in the integers in which kube-apiserver compares them: thousandths, or
// whole units if one of the amounts is too large.
func compared(request, limit, enforced quantity.Quantity) (r, l, e int64) {
	if r, l, e = request.Wrapped(0), limit.Wrapped(0), enforced.Wrapped(0); r > mostMilli || l > mostMilli || e > mostMilli {
		return r, l, e
	}
	return request.Wrapped(-3), limit.Wrapped(-3), enforced.Wrapped(-3)
}
