package results

import (
	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

// The masks for the values of a Secret, as in 'kubectl diff'.
const (
	Masked       = "***"
	maskedBefore = "*** (before)"
	maskedAfter  = "*** (after)"
)

// IsSecret reports whether an object is a Secret.
func IsSecret(v document.Value) bool {
	return v.Get("kind").StringOr("") == "Secret" && v.Get("apiVersion").StringOr("") == "v1"
}

// MaskSecrets masks the values of a Secret before and after a change, so that the output shows
// which values differ but not the values. Other objects are returned unchanged.
func MaskSecrets(before, after document.Value) (document.Value, document.Value) {
	if !IsSecret(before) && !IsSecret(after) {
		return before, after
	}
	for _, field := range [...]string{"data", "stringData"} {
		was, is := before.Get(field), after.Get(field)
		for key, v := range was.Members() {
			text := Masked
			if other := is.Get(key); other.Exists() && !document.Equal(v, other) {
				text = maskedBefore
			}
			before = before.Set(document.NewString(text), field, key)
		}
		for key, v := range is.Members() {
			text := Masked
			if other := was.Get(key); other.Exists() && !document.Equal(v, other) {
				text = maskedAfter
			}
			after = after.Set(document.NewString(text), field, key)
		}
	}
	return MaskAt(nil, before), MaskAt(nil, after)
}

// LastApplied is the path of the annotation of client-side apply, which contains the values, too.
func LastApplied() document.Path { return document.Keys("metadata", "annotations", patch.LastApplied) }

// MaskAt masks the value at a path of a Secret, or the part of it that contains values.
func MaskAt(path document.Path, v document.Value) document.Value { return maskAs(Masked, path, v) }

// MaskPair masks two values at a path of a Secret, such that the output shows whether they differ.
// An absent value remains absent.
func MaskPair(path document.Path, before, after document.Value) (document.Value, document.Value) {
	was, wasBelow := secretPart(path, before)
	is, isBelow := secretPart(path, after)
	if wasBelow && isBelow && !document.Equal(was, is) {
		return maskAs(maskedBefore, path, before), maskAs(maskedAfter, path, after)
	}
	return MaskAt(path, before), MaskAt(path, after)
}

// secretPart returns the part of the value at a path of a Secret that contains values, and whether
// there is one.
func secretPart(path document.Path, v document.Value) (document.Value, bool) {
	annotation := LastApplied()
	switch {
	case path.HasPrefix(document.Keys("data")), path.HasPrefix(document.Keys("stringData")), path.HasPrefix(annotation):
		return v, v.Exists()
	case annotation.HasPrefix(path):
		v = v.Follow(annotation[len(path):])
		return v, v.Exists()
	}
	return document.Value{}, false
}

// maskAs is MaskAt with another mask.
func maskAs(mask string, path document.Path, v document.Value) document.Value {
	if _, ok := secretPart(path, v); !ok {
		return v
	}
	annotation := LastApplied()
	if len(path) >= len(annotation) || !annotation.HasPrefix(path) {
		return document.NewString(mask)
	}
	hidden, err := v.SetAt(annotation[len(path):], document.NewString(mask))
	if err != nil { // not an object with annotations
		return document.NewString(mask)
	}
	return hidden
}

// MaskConflicts returns an error about a Secret without the values in its conflicts and
// fields.
func MaskConflicts(e *patchlab.Error) *patchlab.Error {
	if e.Target.Kind != "Secret" || e.Target.APIVersion != "v1" {
		return e
	}
	hidden := *e
	hidden.Fields = append([]patchlab.FieldError{}, e.Fields...)
	for i, f := range hidden.Fields {
		hidden.Fields[i].Value = MaskAt(f.Path, f.Value)
	}
	if e.Conflicts != nil {
		conflicts := *e.Conflicts
		conflicts.List = append([]patchlab.Conflict{}, e.Conflicts.List...)
		for i, c := range conflicts.List {
			conflicts.List[i].Live, conflicts.List[i].Wanted = MaskPair(c.Path, c.Live, c.Wanted)
		}
		hidden.Conflicts = &conflicts
	}
	return &hidden
}
