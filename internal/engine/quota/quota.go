// Package quota computes what objects use of ResourceQuotas, by the rules of kube-apiserver's
// admission plugin and of the controller that counts usage
// (k8s.io/kubernetes/pkg/quota/v1/evaluator/core).
//
// Each resource has its own names in a quota: all have count/<resource>.<group>, and some of the
// core group have more, such as requests.cpu, services.nodeports and requests.storage.
package quota

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
)

// Amounts maps names of a ResourceQuota to quantities.
type Amounts = podresources.Amounts

// Resource has the rules of a resource that a quota can limit.
type Resource struct {
	// count is the name of the number of objects.
	count string
	// names are the other names that always belong to the resource. tracks reports whether a
	// further name does; nil for none.
	names  []string
	tracks func(name string) bool
	// use adds what an object uses besides its count; nil for one of each of names.
	use func(object document.Value, now time.Time, used Amounts)
	// selects reports whether an object has the property that a scope selects; nil if the resource
	// has no scopes.
	selects func(object document.Value, s selector) bool
	// rescoped is what Rescoped returns; nil for never.
	rescoped func(object, old document.Value) bool
	// updates reports whether an update can change what an object uses, or which scopes select it; nil
	// for never.
	updates func(subresource string, object, old document.Value) bool
	// unspecified is what Unspecified returns; nil for always "".
	unspecified func(object document.Value, limited []string) string
}

// builtin returns the rules of a built-in resource without its count: those of a resource that has
// more names than that, otherwise none.
func builtin(name string) Resource {
	switch name {
	case "configmaps", "replicationcontrollers", "resourcequotas", "secrets":
		return Resource{names: []string{name}}
	case "persistentvolumeclaims":
		return Resource{names: []string{claims, requestsStorage}, tracks: tracksClaims, use: useClaim, selects: selectsClaim, rescoped: rescopedClaim, updates: updatesClaim}
	case "pods":
		return Resource{names: podNames, tracks: tracksPods, use: usePod, selects: selectsPod, rescoped: rescopedPod, updates: updatesPod,
			unspecified: unspecified}
	case "resourceclaims.resource.k8s.io":
		return Resource{tracks: tracksDevices, use: useDevices, updates: updatesItself}
	case "services":
		return Resource{names: []string{"services", nodePorts, loadBalancers}, use: useService, updates: updatesItself}
	}
	return Resource{}
}

// Of returns the rules of a resource. ok is false for those that quotas do not count: Events and
// cluster-scoped resources, and resources without stored objects.
func Of(k *schema.Kind) (r Resource, ok bool) {
	if !k.Namespaced || k.Builtin && (k.Kind == "Event" || k.Group == "authorization.k8s.io" || k.Group == "" && k.Resource == "bindings") {
		return Resource{}, false
	}
	name := strings.TrimSuffix(k.Resource+"."+k.Group, ".")
	if k.Builtin {
		r = builtin(name)
	}
	r.count = "count/" + name
	return r, true
}

// updatesItself is the rule of a resource whose objects use something else after an update, but not
// after one of a subresource.
func updatesItself(subresource string, _, _ document.Value) bool { return subresource == "" }

// Charged reports whether a write of an object or of a subresource can change what is used of
// quotas; old is absent for a creation.
func (r Resource) Charged(subresource string, object, old document.Value) bool {
	if !old.Exists() {
		return subresource == ""
	}
	return r.updates != nil && r.updates(subresource, object, old)
}

// Rescoped reports whether other scopes may select an object than before an update.
func (r Resource) Rescoped(object, old document.Value) bool {
	return r.rescoped != nil && r.rescoped(object, old)
}

// Unspecified returns what a quota with the given names requires an object to specify, in
// kube-apiserver's words; "" if the object specifies everything.
func (r Resource) Unspecified(object document.Value, limited []string) string {
	if r.unspecified == nil {
		return ""
	}
	return r.unspecified(object, limited)
}

// Names returns the names in a quota that belong to the resource, sorted.
func (r Resource) Names(hard Amounts) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(hard)) {
		if name == r.count || slices.Contains(r.names, name) || r.tracks != nil && r.tracks(name) {
			names = append(names, name)
		}
	}
	return names
}

// Usage returns what an object uses of quotas. A pod that has ended, or whose grace period is over,
// counts as an object only.
func (r Resource) Usage(object document.Value, now time.Time) Amounts {
	if r.Alike() {
		return r.Count(1)
	}
	used := Amounts{r.count: whole(1)}
	r.use(object, now, used)
	return used
}

// Alike reports whether all objects of the resource use the same: one of each name.
func (r Resource) Alike() bool { return r.use == nil }

// Count returns what n objects of a resource use that all use the same.
func (r Resource) Count(n int) Amounts {
	used := Amounts{r.count: whole(n)}
	for _, name := range r.names {
		used[name] = whole(n)
	}
	return used
}

// whole returns a quantity that is an integer.
func whole(n int) quantity.Quantity {
	q, _ := quantity.Parse(strconv.Itoa(n))
	return q
}

// Selects reports whether an object is within the scopes of a ResourceQuota. A quota without scopes
// selects all objects.
func (r Resource) Selects(spec, object document.Value) bool {
	for _, scope := range spec.Get("scopes").Strings() {
		if !r.inScope(object, selector{scope: scope, operator: "Exists"}) {
			return false
		}
	}
	for _, e := range spec.Lookup("scopeSelector", "matchExpressions").Items() {
		s := selector{e.Get("scopeName").StringOr(""), e.Get("operator").StringOr(""), e.Get("values").Strings()}
		if !r.inScope(object, s) {
			return false
		}
	}
	return true
}

func (r Resource) inScope(object document.Value, s selector) bool {
	return r.selects != nil && r.selects(object, s)
}

// selector is a requirement of a quota's scopeSelector.
type selector struct {
	scope, operator string
	values          []string
}

// matches reports whether the selector matches a value, "" for none.
func (s selector) matches(value string) bool {
	switch s.operator {
	case "Exists":
		return value != ""
	case "DoesNotExist":
		return value == ""
	case "In":
		return value != "" && slices.Contains(s.values, value)
	case "NotIn":
		return value == "" || !slices.Contains(s.values, value)
	}
	return false
}
