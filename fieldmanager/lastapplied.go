package fieldmanager

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
)

// kubectl is the manager that may override conflicts on fields set by its client-side
// apply.
const kubectl = "kubectl"

// LastApplied is the annotation in which kubectl's client-side apply stores the last
// applied configuration.
const LastApplied = patch.LastApplied

// maxAnnotations is the maximum total size of an object's annotations in bytes
// (apimachinery, TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

func lastApplied(object document.Value) string {
	return object.Lookup("metadata", "annotations", LastApplied).StringOr("")
}

// withoutLastApplied removes the conflicts that the manager kubectl may override: those on
// fields that still have the value of its last client-side apply. For other managers it
// returns all conflicts.
func (m *Manager) withoutLastApplied(conflicts structured.Conflicts, live document.Value, manager string) structured.Conflicts {
	if manager != kubectl {
		return conflicts
	}
	allowed := m.allowedByLastApplied(live)
	var left structured.Conflicts
	for _, c := range conflicts {
		if c.Fields = c.Fields.Minus(allowed); !c.Fields.Empty() {
			left = append(left, c)
		}
	}
	return left
}

// allowedByLastApplied returns the fields of the last-applied annotation whose values the
// live object still has. There are none if there is no valid annotation in the request's
// version.
func (m *Manager) allowedByLastApplied(live document.Value) fieldset.Set {
	text := lastApplied(live)
	if text == "" {
		return fieldset.Set{}
	}
	d, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesLast})
	if err != nil || d.Root.Get("kind").StringOr("") == "" || d.Root.Get("apiVersion").StringOr("") != m.config.APIVersion {
		return fieldset.Set{}
	}
	fields, err := m.engine.Unchanged(&m.types, d.Root, live)
	if err != nil {
		return fieldset.Set{}
	}
	return fields
}

// annotateLastApplied sets an existing last-applied annotation to the applied
// configuration, or removes it if the annotations would become too large.
func annotateLastApplied(object, config document.Value) document.Value {
	if lastApplied(object) == "" {
		return object
	}
	annotations := patch.NullsAsText(config.Lookup("metadata", "annotations"))
	if allStrings(annotations) {
		config = config.Set(annotations.Without(LastApplied), "metadata", "annotations")
	} else { // the API server reads none of the annotations if one is not a string
		config = config.Remove("metadata", "annotations")
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
	written := patch.NullsAsText(object.Lookup("metadata", "annotations")) // of a custom resource, which is not decoded
	return object.Set(written.With(LastApplied, document.NewString(text)), "metadata", "annotations")
}

// allStrings reports whether all members of an object are strings.
func allStrings(v document.Value) bool {
	for _, m := range v.Members() {
		if m.Kind() != document.String {
			return false
		}
	}
	return v.Kind() == document.Object
}
