package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Locate calls f for every field of a set, in the order of Set.Walk, with the field's value
// in each of the values, absent if it does not exist, and its path with list indices. f may
// keep the paths; the slices at and where are reused.
func Locate(t *schema.Type, fields fieldset.Set, values []document.Value, f func(p document.Path, at []document.Value, where []document.Path)) {
	w := begin(nil)
	defer w.end()
	l := locator{w: w, f: f}
	l.each(t, fields, values, nil, make([]document.Path, len(values)))
}

type locator struct {
	w *work
	f func(document.Path, []document.Value, []document.Path)
}

func (l *locator) each(t *schema.Type, fields fieldset.Set, values []document.Value, p document.Path, where []document.Path) {
	trie := fields.JSON()
	steps, positions := fields.Steps()
	for i, s := range steps {
		if _, is := fields.ChildAt(positions[i]); is {
			at, to := l.step(t, trie.Key(positions[i]), values, where)
			l.f(p.Join(s), at, to)
		}
	}
	for i, s := range steps {
		if below, _ := fields.ChildAt(positions[i]); !below.Empty() {
			element := trie.Key(positions[i])
			kid, _ := typeBelow(t, element)
			at, to := l.step(t, element, values, where)
			l.each(kid, below, at, p.Join(s), to)
		}
	}
}

// step descends one step in each of the values.
func (l *locator) step(t *schema.Type, element string, values []document.Value, where []document.Path) ([]document.Value, []document.Path) {
	at, to := make([]document.Value, len(values)), make([]document.Path, len(values))
	for i, v := range values {
		if name, ok := fieldset.Name(element); ok {
			at[i], to[i] = v.Get(name), where[i].Child(name)
			continue
		}
		if t == nil || t.List == nil || v.Kind() != document.List {
			continue
		}
		if j := l.w.indexOf(t.List, v).findRead(element); j >= 0 {
			at[i], to[i] = v.At(j), where[i].Item(j)
		}
	}
	return at, to
}
