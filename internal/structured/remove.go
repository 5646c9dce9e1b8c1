package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// remove returns an object without the fields given (rules "remove"):
//
//   - a member or an item that is in the set goes, with all that is in it;
//   - one that has fields of the set below it stays without them. Where nothing
//     is left in it, and where it was empty or has one owner, null stays.
func remove(t *schema.Type, v document.Value, fields fieldset.Set) document.Value {
	if fields.Empty() {
		return v
	}
	switch formsOf(t, v).lead() {
	case mapForm:
		if v.Kind() == document.Object && v.Len() > 0 && !t.Map.Atomic {
			return removeMembers(t.Map, v, fields)
		}
		return document.NewNull()
	case listForm:
		if v.Kind() == document.List && v.Len() > 0 && t.List.Kind != schema.AtomicList {
			return removeItems(t.List, v, fields)
		}
		return document.NewNull()
	}
	return v
}

func removeMembers(m *schema.MapType, v document.Value, fields fieldset.Set) document.Value {
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
			kid = remove(t, kid, below)
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

func removeItems(l *schema.ListType, v document.Value, fields fieldset.Set) document.Value {
	var out document.ListBuilder
	out.Grow(v.Len())
	var buf [256]byte
	changed := false
	for i := range v.Len() {
		item := v.At(i)
		element, reason := appendItem(buf[:0], l, item)
		if reason == "" {
			below, gone := fields.ChildOf(element)
			if gone {
				changed = true
				continue
			}
			if !below.Empty() {
				item = remove(l.Elem, item, below)
				changed = changed || !document.SameNode(item, v.At(i))
			}
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

// extract returns the part of an object that is made of the fields given: of a
// field without fields of the set below it the whole value.
func extract(t *schema.Type, v document.Value, fields fieldset.Set) document.Value {
	switch formsOf(t, v).lead() {
	case mapForm:
		if v.Kind() == document.Object && v.Len() > 0 && !t.Map.Atomic {
			return extractMembers(t.Map, v, fields)
		}
	case listForm:
		if v.Kind() == document.List && v.Len() > 0 && t.List.Kind != schema.AtomicList {
			return extractItems(t.List, v, fields)
		}
	}
	return v
}

func extractMembers(m *schema.MapType, v document.Value, fields fieldset.Set) document.Value {
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
			// An object that is owned itself but has nothing owned in it is
			// looked through with the set of its parent, as client-go does.
			out.Set(name, extract(t, v.At(i), fields))
		case !below.Empty():
			out.Set(name, extract(t, v.At(i), below))
		}
	}
	if out.Len() == 0 {
		return document.NewNull()
	}
	return out.Object()
}

func extractItems(l *schema.ListType, v document.Value, fields fieldset.Set) document.Value {
	var out document.ListBuilder
	var buf [256]byte
	for _, item := range v.Items() {
		element, reason := appendItem(buf[:0], l, item)
		if reason != "" {
			continue
		}
		below, is := fields.ChildOf(element)
		switch {
		case !below.Empty():
			out.Append(extract(l.Elem, item, below))
		case is:
			out.Append(item)
		}
	}
	if out.Len() == 0 {
		return document.NewNull()
	}
	return out.List()
}
