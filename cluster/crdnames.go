package cluster

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
)

// maxNamings limits how often names are accepted anew because the definition has changed: a
// name that was accepted may conflict with one that was not.
const maxNamings = 4

// controlled returns a CustomResourceDefinition with the accepted names and conditions that
// the API server's controllers set in its status (apiextensions-apiserver, pkg/controller).
// others are the other definitions of its group.
func controlled(crd document.Value, others []document.Value, now string) document.Value {
	// In kube-apiserver the order of the controllers is random; this one is usually the first.
	if state, message, needed := kinds.Approval(crd); needed {
		status := "False"
		if state == kinds.Approved {
			status = "True"
		}
		crd = withCondition(crd, "KubernetesAPIApprovalPolicyConformant", status, string(state), message, now)
	}
	for range maxNamings {
		named := crd
		if !identical(crd.Lookup("spec", "names"), crd.Lookup("status", "acceptedNames")) {
			named = acceptNames(crd, others, now)
		}
		if document.Identical(named, crd) {
			break
		}
		crd = named
	}
	switch {
	case !conditionTrue(crd, "NamesAccepted") || conditionTrue(crd, "Established"):
	case kinds.InvalidCABundle(crd):
		crd = withCondition(crd, "Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid", now)
	default:
		crd = withCondition(crd, "Established", "True", "InitialNamesAccepted", "the initial names have been accepted", now)
	}
	if awaitsCleanup(crd) {
		crd = withCondition(crd, conditionTerminating, "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress", now)
	}
	return crd
}

// withAcceptedNames returns a definition with its accepted names (status.acceptedNames) in place of
// the requested ones (spec.names): discovery and lists use the accepted names of a definition that is served.
func withAcceptedNames(crd document.Value) document.Value {
	accepted := crd.Lookup("status", "acceptedNames")
	if accepted.Get("plural").StringOr("") == "" || accepted.Get("kind").StringOr("") == "" || identical(crd.Lookup("spec", "names"), accepted) {
		return crd
	}
	return crd.Set(accepted, "spec", "names")
}

// acceptNames sets the accepted names, which must not conflict with those of the other
// definitions of the group, and the condition NamesAccepted.
func acceptNames(crd document.Value, others []document.Value, now string) document.Value {
	resources, kinds := map[string]bool{}, map[string]bool{}
	for _, other := range append(others, crd) { // the definition's own names may conflict with each other, too
		accepted := other.Lookup("status", "acceptedNames")
		for _, name := range resourceNames(accepted) {
			resources[name] = true
		}
		kinds[accepted.Get("kind").StringOr("")] = true
		kinds[accepted.Get("listKind").StringOr("")] = true
	}
	wanted, names := crd.Lookup("spec", "names"), crd.Lookup("status", "acceptedNames")
	accepted := names
	status, reason, message := "True", "NoConflicts", "no conflicts found"
	for _, n := range [...]struct {
		key, reason string
		taken       map[string]bool
	}{{"plural", "PluralConflict", resources}, {"singular", "SingularConflict", resources}, {"shortNames", "ShortNamesConflict", resources},
		{"kind", "KindConflict", kinds}, {"listKind", "ListKindConflict", kinds}} {
		if clash := nameConflict(wanted.Get(n.key), names.Get(n.key), n.taken); clash != "" {
			status, reason, message = "False", n.reason, clash
			continue
		}
		accepted = accepted.With(n.key, wanted.Get(n.key))
	}
	crd = crd.Set(accepted.With("categories", wanted.Get("categories")), "status", "acceptedNames")
	crd = withCondition(crd, "NamesAccepted", status, reason, message, now)
	if status == "False" && !hasCondition(crd, "Established") {
		crd = withCondition(crd, "Established", "False", "NotAccepted", "not all names are accepted", now)
	}
	return crd
}

func resourceNames(names document.Value) []string {
	all := []string{names.Get("plural").StringOr(""), names.Get("singular").StringOr("")}
	return append(all, names.Get("shortNames").Strings()...)
}

// releasesNames reports whether a name that was accepted before is accepted no longer.
func releasesNames(was, is document.Value) bool {
	keeps := map[string]bool{}
	for _, name := range append(resourceNames(is), is.Get("kind").StringOr(""), is.Get("listKind").StringOr("")) {
		keeps[name] = true
	}
	for _, name := range append(resourceNames(was), was.Get("kind").StringOr(""), was.Get("listKind").StringOr("")) {
		if name != "" && !keeps[name] {
			return true
		}
	}
	return false
}

// nameConflict describes which of the wanted names are taken and were not accepted before; "" if
// there are none.
func nameConflict(wanted, accepted document.Value, taken map[string]bool) string {
	if document.Equal(wanted, accepted) {
		return ""
	}
	if wanted.Kind() != document.List {
		if name := wanted.StringOr(""); name != "" && taken[name] {
			return inUse(name)
		}
		return ""
	}
	mine := map[string]bool{}
	for _, v := range accepted.Items() {
		mine[v.StringOr("")] = true
	}
	var clashing []string
	for _, v := range wanted.Items() {
		if name := v.StringOr(""); taken[name] && !mine[name] {
			clashing = append(clashing, inUse(name))
		}
	}
	if len(clashing) == 0 {
		return ""
	}
	return aggregate(clashing)
}

func inUse(name string) string { return strconv.Quote(name) + " is already in use" }

// conditionTrue reports whether an object has a condition with status True.
func conditionTrue(object document.Value, kind string) bool {
	return findCondition(object, kind).Get("status").StringOr("") == "True"
}

func hasCondition(object document.Value, kind string) bool {
	return findCondition(object, kind).Exists()
}

func findCondition(object document.Value, kind string) document.Value {
	for _, c := range object.Lookup("status", "conditions").Items() {
		if c.Get("type").StringOr("") == kind {
			return c
		}
	}
	return document.Value{}
}

// withCondition sets a condition that has a reason and a message.
func withCondition(object document.Value, kind, status, reason, message, now string) document.Value {
	var b document.ObjectBuilder
	b.Set("message", document.NewString(message))
	b.Set("reason", document.NewString(reason))
	b.Set("status", document.NewString(status))
	b.Set("type", document.NewString(kind))
	return setCondition(object, b.Object(), now)
}

// setCondition sets the condition of a type. If it has no lastTransitionTime, it gets that of the present condition if
// the status is the same, and otherwise now.
func setCondition(object, condition document.Value, now string) document.Value {
	kind, status := condition.Get("type").StringOr(""), condition.Get("status").StringOr("")
	conditions := object.Lookup("status", "conditions")
	if conditions.Kind() != document.List {
		conditions = document.NewList()
	}
	for i, c := range conditions.Items() {
		if c.Get("type").StringOr("") != kind {
			continue
		}
		if c.Get("status").StringOr("") == status {
			now = c.Get("lastTransitionTime").StringOr(now)
		}
		condition = timed(condition, now)
		if document.Equal(condition, c) {
			return object
		}
		return object.Set(conditions.WithItem(i, condition), "status", "conditions")
	}
	condition = timed(condition, now)
	return object.Set(conditions.Splice(conditions.Len(), 0, condition), "status", "conditions")
}

// timed returns a condition with a lastTransitionTime: its own or, if it has none, now.
func timed(condition document.Value, now string) document.Value {
	if condition.Get("lastTransitionTime").Exists() {
		return condition
	}
	return condition.With("lastTransitionTime", document.NewString(now))
}
