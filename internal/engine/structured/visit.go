package structured

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Visitor is called for a part of an object with its path with list indices, its path in
// field sets, its value, and the indices of the sets that contain it. A part of an atomic
// list or object has the path and the owners of the whole. The slices are reused; clone
// them to keep them.
type Visitor func(at, path document.Path, v document.Value, owners []int)

// Visit calls f for every part of an object, except the object itself, in document order.
func Visit(t *schema.Type, object document.Value, sets []fieldset.Set, f Visitor) {
	w := begin(nil)
	defer w.end()
	(&visit{w: w, f: f}).each(t, object, sets, nil)
}

type visit struct {
	w    *work
	f    Visitor
	at   document.Path
	path document.Path
}

// each visits the members of an object or the items of a list. sets are the fields below
// it; whole are its owners if it is atomic, else nil.
func (w *visit) each(t *schema.Type, v document.Value, sets []fieldset.Set, whole []int) {
	switch v.Kind() {
	case document.Object:
		split := whole == nil && t != nil && t.Map != nil
		for i := range v.Len() {
			name := v.Key(i)
			w.at = append(w.at, document.FieldStep(name))
			if split {
				w.part(t.Map.Member(name), fieldset.Field(name), document.FieldStep(name), v.At(i), sets)
			} else {
				w.inside(v.At(i), whole)
			}
			w.at = w.at[:len(w.at)-1]
		}
	case document.List:
		split := whole == nil && t != nil && t.List != nil && t.List.Kind != schema.AtomicList
		var x *index
		if split {
			x = w.w.indexOf(t.List, v)
		}
		for i, item := range v.Items() {
			w.at = append(w.at, document.IndexStep(i))
			if split {
				e := strings.Clone(fieldset.Reread(x.elements[i]))
				w.part(t.List.Elem, e, fieldset.Step(e), item, sets)
			} else {
				w.inside(item, whole)
			}
			w.at = w.at[:len(w.at)-1]
		}
	}
}

// part visits a field or item that may have other owners than its parent.
func (w *visit) part(t *schema.Type, element string, step document.Step, v document.Value, sets []fieldset.Set) {
	owners := []int{}
	below := make([]fieldset.Set, len(sets))
	for i, s := range sets {
		var is bool
		if below[i], is = s.Child(element); is {
			owners = append(owners, i)
		}
	}
	w.path = append(w.path, step)
	w.f(w.at, w.path, v, owners)
	if t == nil || t.Map != nil && t.Map.Atomic && v.Kind() == document.Object || v.Kind() == document.List && t.List != nil && t.List.Kind == schema.AtomicList {
		w.each(t, v, nil, owners)
	} else {
		w.each(t, v, below, nil)
	}
	w.path = w.path[:len(w.path)-1]
}

// inside visits a part of an atomic list or object.
func (w *visit) inside(v document.Value, whole []int) {
	w.f(w.at, w.path, v, whole)
	w.each(nil, v, nil, whole)
}
