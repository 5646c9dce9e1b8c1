package structured

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Locate calls f for every field of a set, in the order of Set.Walk, with what
// each of the values has there: an absent value where it has nothing. The path
// is the caller's to keep; at is used again.
func Locate(t *schema.Type, fields fieldset.Set, values []document.Value, f func(p fieldset.Path, at []document.Value)) {
	w := begin(nil)
	defer w.end()
	w.locate(t, fields, values, nil, f)
}

func (w *work) locate(t *schema.Type, fields fieldset.Set, values []document.Value, p fieldset.Path, f func(fieldset.Path, []document.Value)) {
	elements := fields.Elements()
	look := w.lookup(t, values)
	for _, e := range elements {
		if _, is := fields.Child(e); is {
			f(append(slices.Clip(p), e), look(e))
		}
	}
	for _, e := range elements {
		if below, _ := fields.Child(e); !below.Empty() {
			kid, _ := typeBelow(t, e)
			w.locate(kid, below, slices.Clone(look(e)), append(slices.Clip(p), e), f)
		}
	}
}

// lookup returns a function that finds an element in each of the values.
func (w *work) lookup(t *schema.Type, values []document.Value) func(fieldset.Element) []document.Value {
	at := make([]document.Value, len(values))
	return func(e fieldset.Element) []document.Value {
		for i, v := range values {
			at[i] = document.Value{}
			if name, ok := e.Name(); ok {
				at[i] = v.Get(name)
				continue
			}
			if t == nil || t.List == nil || v.Kind() != document.List {
				continue
			}
			if j := w.indexOf(t.List, v).findRead(string(e)); j >= 0 {
				at[i] = v.At(j)
			}
		}
		return at
	}
}
