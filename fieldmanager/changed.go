//go:build !js

package fieldmanager

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// take adds fields to those that an update takes from all entries in its version.
func (m *Manager) take(types *structured.Types, fields []document.Path, entries []entry, taken fieldset.Set) ([]entry, fieldset.Set) {
	more := fieldset.Of(fields...).Minus(taken)
	if types.Ignore != nil {
		more = types.Ignore(types.Version, more)
	}
	report := func(rule structured.Rule, fields fieldset.Set, about entry) {
		if types.Report != nil {
			types.Report(rule, fields, about)
		}
	}
	report(structured.Track, more, entry{})
	for i := range entries {
		e := &entries[i]
		if lost := e.Fields.Intersect(more); e.APIVersion == types.Version && !lost.Empty() {
			report(structured.Transfer, lost, *e)
			e.Fields = e.Fields.Minus(lost)
		}
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool { return e.Fields.Empty() })
	return entries, taken.Union(more)
}
