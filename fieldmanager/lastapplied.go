package fieldmanager

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// kubectl is the manager that takes over from kubectl's client-side apply.
const kubectl = "kubectl"

// LastApplied is the annotation in which kubectl's client-side apply keeps the
// configuration that it applied last.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// maxAnnotations is how many bytes all annotations of an object may have
// together, keys and values.
const maxAnnotations = 256 << 10

func lastApplied(object document.Value) string {
	return object.Lookup("metadata", "annotations", LastApplied).StringOr("")
}

// withoutLastApplied returns the conflicts that are left when the manager
// kubectl may change the fields that still have the value that its client-side
// apply gave them. Other managers may not.
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

// allowedByLastApplied returns the fields of the last-applied annotation that
// the live object holds unchanged; ok is false where there is no annotation of
// the request's version that can be read.
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

// annotateLastApplied rewrites the annotation of an object that has one to the
// configuration that was applied. Where the annotations become too large it goes.
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
