package patchlab

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/schema"
)

// hintFor returns advice on an invalid field: the name of a similar field, quotation marks that
// are missing or too many, that a template was not rendered, or that the object was exported; ""
// if there is none.
func hintFor(t *schema.Type, v document.Value, path document.Path) string {
	if near := t.NearestField(path); near != "" {
		return "did you mean " + near + "?"
	}
	if slices.Equal(path, document.Keys("metadata", "managedFields")) && v.Follow(path).Len() > 0 {
		return "remove the fields that the API server owns from an exported object, for example with 'patchlab defaults --minimize'"
	}
	v = v.Follow(path)
	if text, _ := v.Text(); strings.Contains(text, "{{") && strings.Contains(text, "}}") {
		return "this looks like a template; render it first, for example with 'helm template'"
	}
	return explain.ValueHint(t.At(path), v)
}
