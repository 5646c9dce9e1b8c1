package structured

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// reconcile adapts a set of fields to a type that has changed since the set was written
// (rule "reconcile"): fields in a list or object that is atomic now are replaced by the
// whole list or object. A list or object that is no longer atomic remains in the set.
//
// Objects without a schema do not change.
func reconcile(t *schema.Type, s fieldset.Set) fieldset.Set {
	if s.Empty() || unaffected(t, s, false) {
		return s
	}
	r := reconciler{}
	r.visit(t, s, nil, false)
	whole := fieldset.Of(r.whole...)
	return s.MinusBelow(whole).Union(whole)
}

// unaffected reports whether reconcile would return the set unchanged.
func unaffected(t *schema.Type, s fieldset.Set, whole bool) bool {
	r := reconciler{dry: true}
	r.visit(t, s, nil, whole)
	return !r.found
}

// reconciler finds the atomic lists and objects in which a set has fields.
type reconciler struct {
	dry, found bool
	whole      []document.Path
}

func (r *reconciler) mark(p document.Path) {
	r.found = true
	if !r.dry && len(p) > 0 {
		r.whole = append(r.whole, slices.Clone(p))
	}
}

// visit checks a field on the paths of the set. below holds the fields of the set in it;
// whole is set if the field itself is in the set and below is empty.
func (r *reconciler) visit(t *schema.Type, below fieldset.Set, p document.Path, whole bool) {
	switch allForms(t).lead() {
	case mapForm:
		if withoutSchema(t.Map) {
			return
		}
		if !whole && t.Map.Atomic {
			if !below.Empty() {
				r.mark(p)
			}
			return
		}
		r.each(below, p, func(e string) *schema.Type {
			if name, ok := fieldset.Name(e); ok {
				return t.Map.Member(name)
			}
			return t.Map.Elem
		})
	case listForm:
		if !whole && t.List.Kind == schema.AtomicList {
			r.mark(p)
			return
		}
		r.each(below, p, func(string) *schema.Type { return t.List.Elem })
	}
}

func (r *reconciler) each(s fieldset.Set, p document.Path, typeOf func(string) *schema.Type) {
	n := s.JSON()
	var last *schema.Type
	for i := fieldset.First(n); i < n.Len() && !(r.dry && r.found); i++ {
		e := n.Key(i)
		t := typeOf(e)
		if t == nil || r.dry && t == last && fieldset.RepeatsPrevious(n, i) {
			continue // same fields as the preceding element, hence the same result
		}
		last = t
		below, is := s.ChildAt(i)
		path := p
		if !r.dry {
			path = append(p, fieldset.Step(e))
		}
		r.visit(t, below, path, is && below.Empty())
	}
}

// withoutSchema reports whether the type allows any members with any values.
func withoutSchema(m *schema.MapType) bool {
	if len(m.Fields) > 0 {
		return false
	}
	if m.Elem == nil {
		return false
	}
	anything := m.Elem.TakesScalar(document.Number) && m.Elem.TakesScalar(document.String)
	return m.Elem == schema.Deduced() || anything && m.Elem.Name == ""
}
