//go:build !js || complete

package defaults

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
)

// completed returns a pod's spec with pod-level resources in which the resources that are
// given in part are complete (PodLevelResourcesFixDefaulting, KEP-2837): in this order, the
// limits of huge pages are those of the containers, requests are those of the containers or
// the limits, and limits are those of the containers, or the request if that is larger, where
// all containers have limits. Older versions have rules for it, so that there the client
// owns the result.
func (r *Rules) completed(spec document.Value) document.Value {
	own := spec.Get("resources")
	if r.minor < 37 || own.Get("limits").Len() == 0 && own.Get("requests").Len() == 0 {
		return spec
	}
	limits, requests := podresources.Read(own.Get("limits")), podresources.Read(own.Get("requests"))
	limitsOfAll, requestsOfAll := podresources.OfContainers(spec, "limits"), podresources.OfContainers(spec, "requests")
	every := podresources.Amounts{}
	for _, amounts := range [...]podresources.Amounts{limits, requests, limitsOfAll, requestsOfAll} {
		every.Add(amounts)
	}
	for name := range every {
		if !podresources.IsPodLevel(name) {
			continue
		}
		huge := podresources.IsHugePages(name)
		limit, limited := limits[name]
		request, requested := requests[name]
		ofAll, some := limitsOfAll[name]
		if huge && some && !limited && !requested {
			limit, limited = ofAll, true
		}
		if q, ok := requestsOfAll[name]; ok && !huge && !requested {
			request, requested = q, true
		}
		if limited && !requested {
			request, requested = limit, true
		}
		if requested && !limited && allLimited(spec, name) {
			if limit, limited = request, true; ofAll.Cmp(request) > 0 {
				limit = ofAll
			}
		}
		own = withAmount(own, "limits", name, limit, limited)
		own = withAmount(own, "requests", name, request, requested)
	}
	return spec.With("resources", own)
}

// withAmount returns a pod's resources with an amount among its limits or requests, unless they
// have one.
func withAmount(resources document.Value, list, name string, q quantity.Quantity, set bool) document.Value {
	if !set || resources.Get(list).Get(name).Exists() {
		return resources
	}
	return resources.Set(document.NewString(q.String()), list, name)
}

// allLimited reports whether all containers of a pod have a limit for a resource.
func allLimited(spec document.Value, name string) bool {
	for _, list := range [...]string{"containers", "initContainers", "ephemeralContainers"} {
		for _, c := range spec.Get(list).Items() {
			if !c.Lookup("resources", "limits", name).Exists() {
				return false
			}
		}
	}
	return true
}

// keptResources returns an updated pod's spec with the pod-level resources of the live one if
// it has none, from a client that does not know the field (PodLevelResourcesFixDefaulting).
func (r *Rules) keptResources(spec, live document.Value) document.Value {
	if r.minor < 37 || spec.Get("resources").Exists() {
		return spec
	}
	return spec.With("resources", live.Get("resources"))
}
