package cluster

import (
	"errors"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// acceptNames returns a CustomResourceDefinition with the names that it may have
// beside the others of its group, and the conditions that say so
// (apiextensions-apiserver, pkg/controller/status and establish).
func acceptNames(crd document.Value, others []document.Value, now string) document.Value {
	resources, kinds := map[string]bool{}, map[string]bool{}
	for _, other := range others {
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
		if clash := clashes(wanted.Get(n.key), names.Get(n.key), n.taken); clash != "" {
			status, reason, message = "False", n.reason, strconv.Quote(clash)+" is already in use"
			continue
		}
		accepted = accepted.With(n.key, wanted.Get(n.key))
	}
	accepted = accepted.With("categories", wanted.Get("categories"))
	crd = crd.Set(accepted, "status", "acceptedNames")
	crd = withCondition(crd, "NamesAccepted", status, reason, message, now)
	switch {
	case conditionTrue(crd, "Established"):
	case status == "True":
		crd = withCondition(crd, "Established", "True", "InitialNamesAccepted", "the initial names have been accepted", now)
	default:
		crd = withCondition(crd, "Established", "False", "NotAccepted", "not all names are accepted", now)
	}
	if hasMeta(crd, "deletionTimestamp") {
		crd = withCondition(crd, "Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress", now)
	}
	return crd
}

func resourceNames(names document.Value) []string {
	all := []string{names.Get("plural").StringOr(""), names.Get("singular").StringOr("")}
	if short := names.Get("shortNames"); short.Kind() == document.List {
		for _, s := range short.Items() {
			all = append(all, s.StringOr(""))
		}
	}
	return all
}

// clashes returns the name, of one or several wanted, that is taken and was not
// accepted before; "" for none.
func clashes(wanted, accepted document.Value, taken map[string]bool) string {
	if document.Equal(wanted, accepted) {
		return ""
	}
	if wanted.Kind() != document.List {
		if name := wanted.StringOr(""); name != "" && taken[name] {
			return name
		}
		return ""
	}
	mine := map[string]bool{}
	if accepted.Kind() == document.List {
		for _, v := range accepted.Items() {
			mine[v.StringOr("")] = true
		}
	}
	for _, v := range wanted.Items() {
		if name := v.StringOr(""); taken[name] && !mine[name] {
			return name
		}
	}
	return ""
}

// conditionTrue reports whether an object has a condition with status True.
func conditionTrue(object document.Value, kind string) bool {
	conditions := object.Lookup("status", "conditions")
	if conditions.Kind() != document.List {
		return false
	}
	for _, c := range conditions.Items() {
		if c.Get("type").StringOr("") == kind {
			return c.Get("status").StringOr("") == "True"
		}
	}
	return false
}

// withCondition sets a condition. Its time changes with its status alone.
func withCondition(object document.Value, kind, status, reason, message, now string) document.Value {
	var b document.ObjectBuilder
	b.Set("message", document.NewString(message))
	b.Set("reason", document.NewString(reason))
	b.Set("status", document.NewString(status))
	b.Set("type", document.NewString(kind))
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
		b.Set("lastTransitionTime", document.NewString(now))
		if next := b.Object(); !document.Equal(next, c) {
			conditions = conditions.WithItem(i, next)
			return object.Set(conditions, "status", "conditions")
		}
		return object
	}
	b.Set("lastTransitionTime", document.NewString(now))
	return object.Set(conditions.Splice(conditions.Len(), 0, b.Object()), "status", "conditions")
}

// checkCRD judges a CustomResourceDefinition: its schemas must be structural and
// their defaults valid, its names must stay once it was established, and no version may go in which
// objects may be stored.
func checkCRD(object, live document.Value) []Cause {
	var causes []Cause
	crd, err := schema.FromCRD(object)
	var wrong *schema.InvalidCRD
	switch {
	case errors.As(err, &wrong):
		causes = schemaCauses(wrong.Errors)
	case err != nil:
		causes = []Cause{invalidValue("spec", "", err.Error())}
	default:
		causes = schemaCauses(structural.ValidateDefaults(crd))
	}
	if live.Exists() {
		fixed := [][]string{{"group"}, {"names", "plural"}}
		if conditionTrue(live, "Established") {
			fixed = append(fixed, []string{"scope"}, []string{"names", "kind"})
		}
		for _, keys := range fixed {
			is := object.Get("spec").Lookup(keys...)
			if !document.Equal(is, live.Get("spec").Lookup(keys...)) {
				causes = append(causes, invalidValue("spec."+join(keys), is.String(), "field is immutable"))
			}
		}
	}
	if crd != nil {
		causes = append(causes, checkStoredVersions(object, crd)...)
	}
	return causes
}

func join(keys []string) string {
	s := keys[0]
	for _, k := range keys[1:] {
		s += "." + k
	}
	return s
}

func checkStoredVersions(object document.Value, crd *schema.CRD) []Cause {
	var causes []Cause
	declared := map[string]bool{}
	for _, k := range crd.Declared {
		declared[k.Version] = true
	}
	if versions := object.Lookup("status", "storedVersions"); versions.Kind() == document.List {
		for i, v := range versions.Items() {
			if !declared[v.StringOr("")] {
				causes = append(causes, invalidValue("status.storedVersions["+strconv.Itoa(i)+"]", v.String(), "must appear in spec.versions"))
			}
		}
	}
	return causes
}
