package cluster

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Fields of built-in kinds that an update may not change.

// fixedFields are those that may never change, as dotted paths.
func fixedFields(k *schema.Kind) []string {
	switch k.Group + "/" + k.Kind {
	case "apps/Deployment", "apps/ReplicaSet", "apps/DaemonSet":
		return []string{"spec.selector"}
	case "batch/Job":
		return []string{"spec.selector", "spec.completionMode", "spec.podFailurePolicy", "spec.backoffLimitPerIndex", "spec.managedBy", "spec.successPolicy"}
	}
	return nil
}

// checkFixed refuses changes to immutable fields. Two spellings of one value, which
// next may hold in lists that are compared as a whole, are not a change.
func checkFixed(k *schema.Kind, next, live document.Value) []Cause {
	causes := fixedCauses(k, next, live)
	if len(causes) > 0 {
		if stored, _, err := defaults.Decode(k, next, defaults.FromTree); err == nil {
			return fixedCauses(k, stored, live)
		}
	}
	return causes
}

func fixedCauses(k *schema.Kind, next, live document.Value) []Cause {
	var causes []Cause
	for _, path := range fixedFields(k) {
		if keys := strings.Split(path, "."); !sameContent(next.Lookup(keys...), live.Lookup(keys...)) {
			causes = append(causes, invalidValue(path, next.Lookup(keys...).String(), "field is immutable"))
		}
	}
	switch k.Group + "/" + k.Kind {
	case "apps/StatefulSet":
		if !sameContent(fixedStatefulSet(next), fixedStatefulSet(live)) {
			causes = append(causes, forbidden("spec", "updates to statefulset spec for fields other than replicas, ordinals, template, updateStrategy, revisionHistoryLimit, persistentVolumeClaimRetentionPolicy and minReadySeconds are forbidden"))
		}
	case "batch/Job":
		causes = append(causes, checkJobUpdate(next, live)...)
	}
	return causes
}

// sameContent reports whether a and b have the same meaning: as in apimachinery's
// equality.Semantic, an empty list or object equals a missing one at any depth.
func sameContent(a, b document.Value) bool {
	switch {
	case document.SameNode(a, b), hollow(a) && hollow(b):
		return true
	case a.Kind() != b.Kind():
		return false
	case a.Kind() == document.List:
		return a.Len() == b.Len() && sameItems(a, b)
	case a.Kind() == document.Object:
		return sameMembers(a, b) && sameMembers(b, a)
	}
	return document.Equal(a, b)
}

// hollow reports whether v is missing, null, an empty list or an empty object.
func hollow(v document.Value) bool {
	switch v.Kind() {
	case document.Absent, document.Null:
		return true
	case document.List, document.Object:
		return v.Len() == 0
	}
	return false
}

func sameItems(a, b document.Value) bool {
	for i := range a.Len() {
		if !sameContent(a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}

// sameMembers reports whether each member of a has the same meaning in b.
func sameMembers(a, b document.Value) bool {
	for i := range a.Len() {
		if !sameContent(a.At(i), b.Get(a.Key(i))) {
			return false
		}
	}
	return true
}

func fixedStatefulSet(set document.Value) document.Value {
	spec := set.Get("spec")
	for _, key := range [...]string{"replicas", "template", "updateStrategy", "minReadySeconds", "ordinals", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"} {
		spec = spec.Without(key)
	}
	// What the claims have come to is not asked for.
	claims := spec.Get("volumeClaimTemplates")
	if claims.Kind() == document.List {
		var asked document.ListBuilder
		for _, c := range claims.Items() {
			asked.Append(c.Without("status"))
		}
		spec = spec.With("volumeClaimTemplates", asked.List())
	}
	return spec
}

// checkJobUpdate keeps a job's pods as they are while it runs. The number of
// completions may follow the parallelism of an indexed job.
func checkJobUpdate(next, live document.Value) []Cause {
	var causes []Cause
	spec, was := next.Get("spec"), live.Get("spec")
	elastic := spec.Get("completionMode").StringOr("") == "Indexed" && spec.Get("completions").Exists() &&
		document.Equal(spec.Get("completions"), spec.Get("parallelism"))
	if !elastic && !document.Equal(spec.Get("completions"), was.Get("completions")) {
		causes = append(causes, invalidValue("spec.completions", spec.Get("completions").String(), "field is immutable"))
	}
	if suspended, _ := was.Get("suspend").Bool(); !suspended && !sameContent(spec.Get("template"), was.Get("template")) {
		causes = append(causes, invalidValue("spec.template", "(the template)", "field is immutable"))
	}
	return causes
}
