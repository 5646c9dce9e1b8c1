package explain

import (
	"slices"
	"sort"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
)

// OwnedField is a field in managedFields.
type OwnedField struct {
	Path document.Path `json:"path"`
	// Owners holds the indices of the managedFields entries that own the field, as in a Line.
	Owners []int `json:"owners"`
	// Line is the index of the line at which the field begins: the line of its name, of its
	// value in a set, or the first line of an item in a keyed list. It is -1 if the object
	// lacks the field; managedFields may still contain it.
	Line int `json:"line"`
}

// OwnedFields returns every field in the managedFields of an object, sorted by path, with
// its line. lines is the result of Lines for the object.
func OwnedFields(o fieldmanager.Object, lines []Line) []OwnedField {
	at := map[string]int{}
	for i, l := range lines {
		for n := len(l.Path); n > 0; n-- {
			key := rereadText(l.Path[:n])
			if _, known := at[key]; known {
				break // and so are all of its parents
			}
			at[key] = i
		}
	}
	var fields []OwnedField
	known := map[string]int{}
	for i, e := range o.Managed.Entries() {
		for path := range e.Fields.All() {
			key := rereadText(path)
			n, ok := known[key]
			if !ok {
				n = len(fields)
				known[key] = n
				line, found := at[key]
				if !found {
					line = -1
				}
				fields = append(fields, OwnedField{Path: path, Line: line})
			}
			fields[n].Owners = append(fields[n].Owners, i)
		}
	}
	sort.SliceStable(fields, func(a, b int) bool { return fields[a].Path.Compare(fields[b].Path) < 0 })
	return fields
}

// rereadText formats a path as the API server decodes it from managedFields, where an
// integer beyond 2^53 becomes the nearest float64.
func rereadText(path document.Path) string {
	for i, s := range path {
		if s.Kind() != document.StepField && fieldset.Big(s.Element()) {
			path = slices.Clone(path)
			path[i] = fieldset.Step(fieldset.Reread(s.Element()))
		}
	}
	return path.String()
}
