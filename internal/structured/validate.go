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
func (w *work) validate(t *schema.Type, v document.Value, duplicates bool) error {
	c := checker{w: w, duplicates: duplicates}
	if err := c.check(t, v); err != nil {
		return err
	}
	return nil
}

// A checker checks objects against their types.
type checker struct {
	w *work
	// duplicates says that lists may hold an item twice.
	duplicates bool
}

// check returns a *TypeError whose path grows on the way out.
func (c *checker) check(t *schema.Type, v document.Value) *TypeError {
	switch formsOf(t, v).lead() {
	case mapForm:
		if v.IsNull() {
			return nil
		}
		if v.Kind() != document.Object {
			return &TypeError{Reason: "expected an object, got " + describe(v)}
		}
		return c.members(t.Map, v)
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
		return c.items(t.List, v)
	}
	return &TypeError{Reason: "the schema allows no value here"}
}

func (c *checker) members(m *schema.MapType, v document.Value) *TypeError {
	field := 0
	for i := range v.Len() {
		name := v.Key(i)
		var t *schema.Type
		t, field = memberFrom(m, name, field)
		if t == nil {
			return &TypeError{Path: fieldset.Field(name).String(), Reason: "the schema has no such field"}
		}
		if err := c.check(t, v.At(i)); err != nil {
			err.Path = fieldset.Field(name).String() + err.Path
			return err
		}
	}
	return nil
}

func (c *checker) items(l *schema.ListType, v document.Value) *TypeError {
	if l.Kind == schema.AtomicList {
		for i, item := range v.Items() {
			if err := c.check(l.Elem, item); err != nil {
				err.Path = "[" + strconv.Itoa(i) + "]" + err.Path
				return err
			}
		}
		return nil
	}
	x := c.w.indexOf(l, v)
	if x.bad >= 0 {
		return &TypeError{Path: "[" + strconv.Itoa(x.bad) + "]", Reason: x.reason}
	}
	for i, item := range v.Items() {
		if err := c.check(l.Elem, item); err != nil {
			err.Path = fieldset.Element(x.elements[i]).String() + err.Path
			return err
		}
		if !c.duplicates && x.follower(i) >= 0 {
			return &TypeError{Path: fieldset.Element(x.elements[i]).String(), Reason: "the list holds this item twice"}
		}
	}
	return nil
}

// memberFrom returns the type of an object's member, nil where there is none,
// asked for in ascending order of names: from is the position in m.Fields to
// look from, the one returned that for the next name.
func memberFrom(m *schema.MapType, name string, from int) (*schema.Type, int) {
	for from < len(m.Fields) && m.Fields[from].Name < name {
		from++
	}
	if from < len(m.Fields) && m.Fields[from].Name == name {
		return m.Fields[from].Type, from + 1
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
