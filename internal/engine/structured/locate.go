package structured

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Locate calls f for every field of a set, in the order of Set.Walk, until f returns false: with the
// field's path, its value in each of the values, absent if it does not exist, and its path with list
// indices in each of them. f may keep what it is given.
func Locate(t *schema.Type, fields fieldset.Set, values []document.Value, f func(p document.Path, at []document.Value, where []document.Path) bool) {
	w := begin(nil)
	defer w.end()
	l := locator{w: w, f: f}
	l.each(t, fields, values, nil, make([]document.Path, len(values)))
}

type locator struct {
	w *work
	f func(document.Path, []document.Value, []document.Path) bool
}

// each calls f for the fields of a set below the path p, and returns false if the iteration has ended. where
// holds that path with list indices in each of the values. The paths are extended in place and copied
// for each field, so that the cost does not depend on the depth of parts without fields.
func (l *locator) each(t *schema.Type, fields fieldset.Set, values []document.Value, p document.Path, where []document.Path) bool {
	trie := fields.JSON()
	steps, positions := fields.Steps()
	for i, s := range steps {
		if _, is := fields.ChildAt(positions[i]); is {
			at, to := l.step(t, trie.Key(positions[i]), values, where)
			for k := range to {
				to[k] = slices.Clone(to[k])
			}
			if !l.f(slices.Clone(append(p, s)), at, to) {
				return false
			}
		}
	}
	for i, s := range steps {
		if below, _ := fields.ChildAt(positions[i]); !below.Empty() {
			element := trie.Key(positions[i])
			kid, _ := typeBelow(t, element)
			at, to := l.step(t, element, values, where)
			if !l.each(kid, below, at, append(p, s), to) {
				return false
			}
		}
	}
	return true
}

// step descends one step in each of the values.
func (l *locator) step(t *schema.Type, element string, values []document.Value, where []document.Path) ([]document.Value, []document.Path) {
	at, to := make([]document.Value, len(values)), make([]document.Path, len(values))
	for i, v := range values {
		if name, ok := fieldset.Name(element); ok {
			at[i], to[i] = v.Get(name), append(where[i], document.FieldStep(name))
			continue
		}
		if t == nil || t.List == nil || v.Kind() != document.List {
			continue
		}
		if j := l.w.indexOf(t.List, v).findRead(element); j >= 0 {
			at[i], to[i] = v.At(j), append(where[i], document.IndexStep(j))
		}
	}
	return at, to
}
