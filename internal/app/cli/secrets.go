package cli

import (
	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

// The masks for the values of a Secret, as in 'kubectl diff'.
const (
	masked       = "***"
	maskedBefore = "*** (before)"
	maskedAfter  = "*** (after)"
)

func isSecret(v document.Value) bool {
	return v.Get("kind").StringOr("") == "Secret" && v.Get("apiVersion").StringOr("") == "v1"
}

// maskSecrets masks the values of a Secret before and after a change, so that the output shows
// which values differ but not the values. Other objects are returned unchanged.
func maskSecrets(before, after document.Value) (document.Value, document.Value) {
	if !isSecret(before) && !isSecret(after) {
		return before, after
	}
	for _, field := range [...]string{"data", "stringData"} {
		was, is := before.Get(field), after.Get(field)
		for key, v := range was.Members() {
			text := masked
			if other := is.Get(key); other.Exists() && !document.Equal(v, other) {
				text = maskedBefore
			}
			before = before.Set(document.NewString(text), field, key)
		}
		for key, v := range is.Members() {
			text := masked
			if other := was.Get(key); other.Exists() && !document.Equal(v, other) {
				text = maskedAfter
			}
			after = after.Set(document.NewString(text), field, key)
		}
	}
	mask := func(v document.Value) document.Value { // the last-applied annotation contains the values, too
		if v.Lookup("metadata", "annotations", patch.LastApplied).Exists() {
			return v.Set(document.NewString(masked), "metadata", "annotations", patch.LastApplied)
		}
		return v
	}
	return mask(before), mask(after)
}

// maskConflicts returns an error about a Secret without the values in its conflicts and
// fields.
func maskConflicts(e *patchlab.Error) *patchlab.Error {
	if e.Target.Kind != "Secret" || e.Target.APIVersion != "v1" {
		return e
	}
	hide := func(path document.Path, v document.Value) document.Value {
		if !v.Exists() || len(path) == 0 || path[0] != document.FieldStep("data") && path[0] != document.FieldStep("stringData") {
			return v
		}
		return document.NewString(masked)
	}
	hidden := *e
	hidden.Fields = append([]patchlab.FieldError{}, e.Fields...)
	for i, f := range hidden.Fields {
		hidden.Fields[i].Value = hide(f.Path, f.Value)
	}
	if e.Conflicts != nil {
		conflicts := *e.Conflicts
		conflicts.List = append([]patchlab.Conflict{}, e.Conflicts.List...)
		for i, c := range conflicts.List {
			conflicts.List[i].Live, conflicts.List[i].Wanted = hide(c.Path, c.Live), hide(c.Path, c.Wanted)
		}
		hidden.Conflicts = &conflicts
	}
	return &hidden
}
