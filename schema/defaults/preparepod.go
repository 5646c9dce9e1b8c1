package defaults

import (
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// newPod is the create strategy of Pods (pkg/registry/core/pod).
func (r *Rules) newPod(k *schema.Kind, v document.Value, now time.Time) document.Value {
	spec := r.completed(v.Get("spec"))
	class := v.Lookup("status", "qosClass")
	if class.StringOr("") == "" || k.Since("1.37") { // before, a class set by the client is kept
		class = document.NewString(podresources.ServiceClass(spec, k.Since))
	}
	status := document.NewObject().With("phase", document.NewString("Pending")).With("qosClass", class)
	if spec.Get("schedulingGates").Len() > 0 {
		at := timeText(now)
		if r.minor < 31 {
			at = document.NewNull()
		}
		status = status.With("conditions", document.NewList(document.NewObject().
			With("type", document.NewString("PodScheduled")).
			With("status", document.NewString("False")).
			With("lastProbeTime", document.NewNull()).
			With("lastTransitionTime", at).
			With("reason", document.NewString("SchedulingGated")).
			With("message", document.NewString("Scheduling is blocked due to non-empty scheduling gates"))))
	}
	v = v.With("status", status)
	labels := v.Lookup("metadata", "labels")
	if r.minor >= 31 {
		spec = inAffinity(spec, labels, selectByKeys)
	}
	if r.minor >= 34 {
		spec = inSpread(spec, labels, selectByKeys)
	}
	return withProfiles(v.With("spec", spec), r.minor < 34)
}

// A selecting changes a term that has a labelSelector and label keys.
type selecting func(v, labels document.Value) document.Value

// inAffinity maps the terms of a pod's affinity (KEP-3633).
func inAffinity(spec, labels document.Value, change selecting) document.Value {
	for _, kind := range [...]string{"podAffinity", "podAntiAffinity"} {
		spec = eachIn(spec, []string{"affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution"}, func(t document.Value) document.Value {
			term := t.Get("podAffinityTerm")
			if now := change(term, labels); !document.SameNode(now, term) {
				return t.With("podAffinityTerm", now)
			}
			return t
		})
		spec = eachIn(spec, []string{"affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution"}, func(t document.Value) document.Value {
			return change(t, labels)
		})
	}
	return spec
}

// inSpread maps a pod's topology spread constraints (KEP-3243).
func inSpread(spec, labels document.Value, change selecting) document.Value {
	return eachIn(spec, []string{"topologySpreadConstraints"}, func(c document.Value) document.Value { return change(c, labels) })
}

// eachIn maps the items of the list at a path.
func eachIn(v document.Value, keys []string, change func(document.Value) document.Value) document.Value {
	list := v.Lookup(keys...)
	now := remake.Items(list, func(_ int, item document.Value) document.Value { return change(item) })
	if document.SameNode(now, list) {
		return v
	}
	return v.Set(now, keys...)
}

// byKeys returns the selector requirements for matchLabelKeys and mismatchLabelKeys from
// the pod's labels.
func byKeys(v, labels document.Value) document.Value {
	var list document.ListBuilder
	for _, by := range [...][2]string{{"matchLabelKeys", "In"}, {"mismatchLabelKeys", "NotIn"}} {
		for _, key := range v.Get(by[0]).Items() {
			if val := labels.Get(key.StringOr("")); val.Exists() {
				list.Append(document.NewObject().
					With("key", key).
					With("operator", document.NewString(by[1])).
					With("values", document.NewList(val)))
			}
		}
	}
	return list.List()
}

// selectByKeys adds these requirements to the labelSelector of a term; a term without one
// is unchanged.
func selectByKeys(v, labels document.Value) document.Value {
	added := byKeys(v, labels)
	if !v.Get("labelSelector").Exists() || added.Len() == 0 {
		return v
	}
	list := v.Lookup("labelSelector", "matchExpressions")
	var both document.ListBuilder
	for _, l := range [...]document.Value{list, added} {
		for _, e := range l.Items() {
			both.Append(e)
		}
	}
	return v.Set(both.List(), "labelSelector", "matchExpressions")
}

// unselectByKeys removes the requirements that selectByKeys added.
func unselectByKeys(v, labels document.Value) document.Value {
	added, list := byKeys(v, labels), v.Lookup("labelSelector", "matchExpressions")
	from := list.Len() - added.Len()
	if added.Len() == 0 || from < 0 {
		return v
	}
	for i, e := range added.Items() {
		if !document.Equal(list.At(from+i), e) {
			return v
		}
	}
	if from == 0 {
		return v.Remove("labelSelector", "matchExpressions")
	}
	return v.Set(list.Splice(from, added.Len()), "labelSelector", "matchExpressions")
}

// keptGenerations restores the observed generations that a write of a pod's status omits, so that
// clients that do not know them keep them. Of the conditions of one type, the first one gets the
// generation of the first old one, and so on (pkg/registry/core/pod, preserveOldObservedGeneration).
func keptGenerations(next, live document.Value) document.Value {
	const generation = "observedGeneration"
	isZero := func(v document.Value) bool {
		n, _ := v.Get(generation).Int()
		return n == 0
	}
	if isZero(next.Get("status")) {
		next = next.Set(live.Lookup("status", generation), "status", generation)
	}
	had := map[string][]document.Value{}
	for _, c := range live.Lookup("status", "conditions").Items() {
		name := c.Get("type").StringOr("")
		had[name] = append(had[name], c.Get(generation))
	}
	return eachIn(next, []string{"status", "conditions"}, func(c document.Value) document.Value {
		name := c.Get("type").StringOr("")
		old := had[name]
		if len(old) == 0 {
			return c
		}
		had[name] = old[1:]
		if isZero(c) && old[0].Exists() {
			return c.With(generation, old[0])
		}
		return c
	})
}

// withProfiles converts the deprecated AppArmor annotations of a pod to the fields of containers,
// unless these are set or the pod has the same profile (KEP-24). With annotate, it adds the missing
// annotations for fields, as Kubernetes does before 1.34.
func withProfiles(pod document.Value, annotate bool) document.Value {
	spec, annotations := pod.Get("spec"), pod.Lookup("metadata", "annotations")
	if spec.Lookup("os", "name").StringOr("") == "windows" {
		return pod
	}
	of := spec.Lookup("securityContext", "appArmorProfile")
	for _, list := range [...]string{"containers", "initContainers", "ephemeralContainers"} {
		spec = eachIn(spec, []string{list}, func(c document.Value) document.Value {
			key := "container.apparmor.security.beta.kubernetes.io/" + c.Get("name").StringOr("")
			annotation, ok := annotations.Get(key).Text()
			own := c.Lookup("securityContext", "appArmorProfile")
			if !ok && annotate {
				applied := own
				if !own.Exists() {
					applied = of
				}
				if text := profileText(applied); text != "" {
					pod = pod.Set(document.NewString(text), "metadata", "annotations", key)
				}
			}
			if !ok || own.Exists() {
				return c
			}
			if p := profile(annotation); p.Exists() && !document.Equal(p, of) {
				return c.Set(p, "securityContext", "appArmorProfile")
			}
			return c
		})
	}
	return pod.With("spec", spec)
}

// simpleProfiles are the types of profiles without a name, and their annotations.
var simpleProfiles = [...][2]string{{"Unconfined", "unconfined"}, {"RuntimeDefault", "runtime/default"}}

const localProfile = "localhost/"

// longestProfile is the maximum length of the name of a profile, PATH_MAX without the terminating zero.
const longestProfile = 4095

// profile returns the profile of an annotation, an absent value if it is invalid. A name that the
// field could not have makes it invalid too (k8s.io/kubernetes/pkg/registry/core/pod,
// applyAppArmorVersionSkew).
func profile(s string) document.Value {
	p := document.NewObject()
	for _, simple := range simpleProfiles {
		if s == simple[1] {
			return p.With("type", document.NewString(simple[0]))
		}
	}
	local, isLocal := strings.CutPrefix(s, localProfile)
	if isLocal && local != "" && strings.TrimSpace(local) == local && len(local) <= longestProfile {
		return p.With("type", document.NewString("Localhost")).With("localhostProfile", document.NewString(local))
	}
	return document.Value{}
}

// profileText returns the annotation of a profile, "" if there is none.
func profileText(p document.Value) string {
	kind := p.Get("type").StringOr("")
	for _, simple := range simpleProfiles {
		if kind == simple[0] {
			return simple[1]
		}
	}
	if local, ok := p.Get("localhostProfile").Text(); ok && kind == "Localhost" {
		return localProfile + local
	}
	return ""
}

// resized limits an update through the resize subresource to the resources of the pod and
// its containers. A list of containers with other names, or the whole object if their number
// differs, is kept for validation to refuse.
func (r *Rules) resized(next, live document.Value) document.Value {
	resources := r.keptResources(next.Get("spec"), live.Get("spec")).Get("resources")
	spec := live.Get("spec").With("resources", resources)
	for _, list := range [...]string{"containers", "initContainers"} {
		now, was := next.Lookup("spec", list), live.Lookup("spec", list)
		if now.Len() != was.Len() {
			return next
		}
		others := false
		resized := remake.Items(was, func(i int, old document.Value) document.Value {
			c := now.At(i)
			others = others || !document.Equal(c.Get("name"), old.Get("name"))
			return old.With("resources", c.Get("resources")).With("resizePolicy", c.Get("resizePolicy"))
		})
		if others {
			resized = now
		}
		spec = spec.With(list, resized)
	}
	return onlySpec(next, live, r.completed(spec))
}
