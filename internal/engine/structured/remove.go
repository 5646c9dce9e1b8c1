package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// remove returns an object without the given fields (rule "remove"):
//
//   - A member or item in the set is removed with everything in it.
//   - A member or item with fields of the set below it is kept without them. If
//     nothing is left in it, or if it was empty or is atomic, it becomes null.
func (w *work) remove(t *schema.Type, v document.Value, fields fieldset.Set) document.Value {
	if fields.Empty() {
		return v
	}
	switch formsOf(t, v).lead() {
	case mapForm:
		if v.Kind() == document.Object && v.Len() > 0 && !t.Map.Atomic {
			return w.removeMembers(t.Map, v, fields)
		}
		return document.NewNull()
	case listForm:
		if v.Kind() == document.List && v.Len() > 0 && t.List.Kind != schema.AtomicList {
			return w.removeItems(t.List, v, fields)
		}
		return document.NewNull()
	}
	return v
}

func (w *work) removeMembers(m *schema.MapType, v document.Value, fields fieldset.Set) document.Value {
	var out document.ObjectBuilder
	changed := false
	field, at := 0, 0
	for i := range v.Len() {
		name := v.Key(i)
		var t *schema.Type
		t, field = memberFrom(m, name, field)
		var below fieldset.Set
		var gone bool
		below, gone, at = fields.FieldFrom(name, at)
		kid := v.At(i)
		if !gone && !below.Empty() && t != nil {
			kid = w.remove(t, kid, below)
		}
		if !changed && (gone || !document.SameNode(kid, v.At(i))) {
			changed = true
			keepFirst(&out, v, i, 0)
		}
		if changed && !gone {
			out.Set(name, kid)
		}
	}
	if !changed {
		return v
	}
	if out.Len() == 0 {
		return document.NewNull()
	}
	return out.Object()
}

func (w *work) removeItems(l *schema.ListType, v document.Value, fields fieldset.Set) document.Value {
	var out document.ListBuilder
	out.Grow(v.Len())
	changed := false
	x := w.indexOf(l, v)
	for i, e := range x.elements {
		item := v.At(i)
		below, gone := fields.ChildOf(e)
		if gone {
			changed = true
			continue
		}
		if !below.Empty() {
			item = w.remove(l.Elem, item, below)
			changed = changed || !document.SameNode(item, v.At(i))
		}
		out.Append(item)
	}
	switch {
	case !changed:
		return v
	case out.Len() == 0:
		return document.NewNull()
	}
	return out.List()
}

// extract returns an object with only the given fields. A field in the set without fields
// below it keeps its whole value.
func (w *work) extract(t *schema.Type, v document.Value, fields fieldset.Set) document.Value {
	switch formsOf(t, v).lead() {
	case mapForm:
		if v.Kind() == document.Object && v.Len() > 0 && !t.Map.Atomic {
			return w.extractMembers(t.Map, v, fields)
		}
	case listForm:
		if v.Kind() == document.List && v.Len() > 0 && t.List.Kind != schema.AtomicList {
			return w.extractItems(t.List, v, fields)
		}
	}
	return v
}

func (w *work) extractMembers(m *schema.MapType, v document.Value, fields fieldset.Set) document.Value {
	var out document.ObjectBuilder
	field, at := 0, 0
	for i := range v.Len() {
		name := v.Key(i)
		var t *schema.Type
		t, field = memberFrom(m, name, field)
		if t == nil {
			continue
		}
		var below fieldset.Set
		var is bool
		below, is, at = fields.FieldFrom(name, at)
		switch {
		case is:
			// A field in the set is extracted with the set of its parent, as in
			// structured-merge-diff, which client-go's Extract functions use.
			out.Set(name, w.extract(t, v.At(i), fields))
		case !below.Empty():
			out.Set(name, w.extract(t, v.At(i), below))
		}
	}
	if out.Len() == 0 {
		return document.NewNull()
	}
	return out.Object()
}

func (w *work) extractItems(l *schema.ListType, v document.Value, fields fieldset.Set) document.Value {
	var out document.ListBuilder
	x := w.indexOf(l, v)
	for i, item := range v.Items() {
		below, is := fields.ChildOf(x.elements[i])
		switch {
		case !below.Empty():
			out.Append(w.extract(l.Elem, item, below))
		case is:
			out.Append(item)
		}
	}
	if out.Len() == 0 {
		return document.NewNull()
	}
	return out.List()
}
