package structured

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Locate calls f for every field of a set, in the order of Set.Walk, with what
// each of the values has there, an absent value where it has nothing, and where
// that stands. The path is the caller's to keep; at and where are used again.
func Locate(t *schema.Type, fields fieldset.Set, values []document.Value, f func(p fieldset.Path, at []document.Value, where []document.Path)) {
	w := begin(nil)
	defer w.end()
	l := locator{w: w, f: f}
	l.each(t, fields, values, nil, make([]document.Path, len(values)))
}

type locator struct {
	w *work
	f func(fieldset.Path, []document.Value, []document.Path)
}

func (l *locator) each(t *schema.Type, fields fieldset.Set, values []document.Value, p fieldset.Path, where []document.Path) {
	elements := fields.Elements()
	for _, e := range elements {
		if _, is := fields.Child(e); is {
			at, to := l.step(t, e, values, where)
			l.f(append(slices.Clip(p), e), at, to)
		}
	}
	for _, e := range elements {
		if below, _ := fields.Child(e); !below.Empty() {
			kid, _ := typeBelow(t, e)
			at, to := l.step(t, e, values, where)
			l.each(kid, below, at, append(slices.Clip(p), e), to)
		}
	}
}

// step goes by an element in each of the values.
func (l *locator) step(t *schema.Type, e fieldset.Element, values []document.Value, where []document.Path) ([]document.Value, []document.Path) {
	at, to := make([]document.Value, len(values)), make([]document.Path, len(values))
	for i, v := range values {
		if name, ok := e.Name(); ok {
			at[i], to[i] = v.Get(name), where[i].Child(name)
			continue
		}
		if t == nil || t.List == nil || v.Kind() != document.List {
			continue
		}
		if j := l.w.indexOf(t.List, v).findRead(string(e)); j >= 0 {
			at[i], to[i] = v.At(j), where[i].Item(j)
		}
	}
	return at, to
}
