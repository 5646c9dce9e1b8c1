package fieldmanager

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
)

// kubectl is the manager that may override conflicts with fields that kubectl's
// client-side apply set.
const kubectl = "kubectl"

// LastApplied is the annotation in which kubectl's client-side apply stores the
// configuration that it applied last.
const LastApplied = patch.LastApplied

// maxAnnotations is the limit for the keys and values of all annotations of an
// object, in bytes (apimachinery, TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

func lastApplied(object document.Value) string {
	return object.Lookup("metadata", "annotations", LastApplied).StringOr("")
}

// withoutLastApplied returns the conflicts without those that the manager kubectl
// may override: on fields that still have the value that its client-side apply
// set. For other managers it returns all.
func (m *Manager) withoutLastApplied(conflicts structured.Conflicts, live document.Value, manager string) structured.Conflicts {
	if manager != kubectl {
		return conflicts
	}
	allowed, ok := m.allowedByLastApplied(live)
	if !ok {
		return conflicts
	}
	var left structured.Conflicts
	for _, c := range conflicts {
		if c.Fields = c.Fields.Minus(allowed); !c.Fields.Empty() {
			left = append(left, c)
		}
	}
	return left
}

// allowedByLastApplied returns the fields of the last-applied annotation whose
// values the live object still has. ok is false if there is no annotation in the
// request's version that can be read.
func (m *Manager) allowedByLastApplied(live document.Value) (fields fieldset.Set, ok bool) {
	text := lastApplied(live)
	if text == "" {
		return fieldset.Set{}, false
	}
	d, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesLast})
	if err != nil || d.Root.Get("kind").StringOr("") == "" || d.Root.Get("apiVersion").StringOr("") != m.config.APIVersion {
		return fieldset.Set{}, false
	}
	fields, err = m.engine.Unchanged(&m.types, d.Root, live)
	return fields, err == nil
}

// annotateLastApplied sets the last-applied annotation of an object that has one
// to the configuration that was applied. If the annotations become too large, it
// removes it.
func annotateLastApplied(object, config document.Value) document.Value {
	if lastApplied(object) == "" {
		return object
	}
	annotations := config.Lookup("metadata", "annotations")
	switch {
	case !allStrings(annotations):
		config = config.Remove("metadata", "annotations")
	default:
		config = config.Set(annotations.Without(LastApplied), "metadata", "annotations")
	}
	text := string(append(config.JSON(), '\n'))
	size := 0
	for k, v := range object.Lookup("metadata", "annotations").Members() {
		if s := v.StringOr(""); k != LastApplied {
			size += len(k) + len(s)
		}
	}
	if size+len(LastApplied)+len(text) > maxAnnotations {
		return object.Remove("metadata", "annotations", LastApplied)
	}
	return object.Set(document.NewString(text), "metadata", "annotations", LastApplied)
}

// allStrings reports whether v is an object whose members are strings.
func allStrings(v document.Value) bool {
	for _, m := range v.Members() {
		if m.Kind() != document.String {
			return false
		}
	}
	return v.Kind() == document.Object
}
