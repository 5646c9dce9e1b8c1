package structured

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// validate checks that an object fits its type as far as structured merge cares:
// the kinds of values, no field that the type has not, and list items that can be
// told apart. duplicates says that a list may hold items with the same key, as
// stored objects may. null fits everywhere but as an item of a keyed list or a
// set. An error is a *TypeError.
func validate(t *schema.Type, v document.Value, duplicates bool) error {
	if err := check(t, v, duplicates); err != nil {
		return err
	}
	return nil
}

// check returns a *TypeError whose path grows on the way out.
func check(t *schema.Type, v document.Value, duplicates bool) *TypeError {
	switch formsOf(t, v).lead() {
	case mapForm:
		if v.IsNull() {
			return nil
		}
		if v.Kind() != document.Object {
			return &TypeError{Reason: "expected an object, got " + describe(v)}
		}
		return checkMembers(t.Map, v, duplicates)
	case scalarForm:
		if v.IsNull() || t.TakesScalar(v.Kind()) {
			return nil
		}
		return &TypeError{Reason: "expected " + scalarName(t) + ", got " + describe(v)}
	case listForm:
		if v.IsNull() {
			return nil
		}
		if v.Kind() != document.List {
			return &TypeError{Reason: "expected a list, got " + describe(v)}
		}
		return checkItems(t.List, v, duplicates)
	}
	return &TypeError{Reason: "the schema allows no value here"}
}

func checkMembers(m *schema.MapType, v document.Value, duplicates bool) *TypeError {
	field := 0
	for i := range v.Len() {
		name := v.Key(i)
		var t *schema.Type
		t, field = memberFrom(m, name, field)
		if t == nil {
			return &TypeError{Path: fieldset.Field(name).String(), Reason: "the schema has no such field"}
		}
		if err := check(t, v.At(i), duplicates); err != nil {
			err.Path = fieldset.Field(name).String() + err.Path
			return err
		}
	}
	return nil
}

func checkItems(l *schema.ListType, v document.Value, duplicates bool) *TypeError {
	if l.Kind == schema.AtomicList {
		for i, item := range v.Items() {
			if err := check(l.Elem, item, duplicates); err != nil {
				err.Path = "[" + strconv.Itoa(i) + "]" + err.Path
				return err
			}
		}
		return nil
	}
	var buf [128]byte
	for i, item := range v.Items() {
		element, reason := appendItem(buf[:0], l, item)
		if reason != "" {
			return &TypeError{Path: "[" + strconv.Itoa(i) + "]", Reason: reason}
		}
		if err := check(l.Elem, item, duplicates); err != nil {
			err.Path = fieldset.Element(element).String() + err.Path
			return err
		}
	}
	if duplicates || v.Len() < 2 {
		return nil
	}
	x := indexList(l, v)
	for i := range x.elements {
		if x.follower(i) >= 0 {
			return &TypeError{Path: fieldset.Element(x.elements[i]).String(), Reason: "the list holds this item twice"}
		}
	}
	return nil
}

// memberFrom is member for names in ascending order: from is the position in
// m.Fields to look from, the one returned that for the next name.
func memberFrom(m *schema.MapType, name string, from int) (*schema.Type, int) {
	for from < len(m.Fields) && m.Fields[from].Name < name {
		from++
	}
	if from < len(m.Fields) && m.Fields[from].Name == name {
		return m.Fields[from].Type, from + 1
	}
	if m.Elem == nil && m.PreserveUnknown {
		return schema.Deduced(), from
	}
	return m.Elem, from
}

func describe(v document.Value) string {
	text := v.String()
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	switch v.Kind() {
	case document.Object:
		return "an object"
	case document.List:
		return "a list"
	case document.Null:
		return "null"
	}
	return "the " + v.Kind().String() + " " + text
}

func scalarName(t *schema.Type) string {
	switch t.Scalar {
	case schema.StringScalar:
		return "a string"
	case schema.BooleanScalar:
		return "a boolean"
	case schema.IntegerScalar, schema.NumberScalar:
		return "a number"
	}
	return "a scalar"
}
