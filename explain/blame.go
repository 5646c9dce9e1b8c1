package explain

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
)

// An OwnedField is a field that managedFields names.
type OwnedField struct {
	Path document.Path `json:"path"`
	// Owners are the positions, in the object's managedFields, of the entries that
	// name the field.
	Owners []int `json:"owners"`
	// Line is the position of the line on which the field begins: that of its name, of
	// its value in a set, or the first of an item of a keyed list. It is -1 where the
	// object does not have the field, which managedFields may name nevertheless.
	Line int `json:"line"`
}

// OwnedFields lists every field that the managedFields of an object name, in the order
// of their paths, with the line of it. lines are those that Lines returned for the
// object.
func OwnedFields(o fieldmanager.Object, lines []Line) []OwnedField {
	at := map[string]int{}
	for i, l := range lines {
		for n := len(l.Path); n > 0; n-- {
			key := rereadText(l.Path[:n])
			if _, known := at[key]; known {
				break // and so is all that is around it
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
	slices.SortStableFunc(fields, func(a, b OwnedField) int { return a.Path.Compare(b.Path) })
	return fields
}

// rereadText writes a path as the API server reads it from managedFields, where an
// integer beyond 2^53 is the nearest float64.
func rereadText(path document.Path) string {
	for i, s := range path {
		if s.Kind() != document.StepField && fieldset.Big(s.Element()) {
			path = slices.Clone(path)
			path[i] = fieldset.Step(fieldset.Reread(s.Element()))
		}
	}
	return path.String()
}
