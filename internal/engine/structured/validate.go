package structured

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// validate checks the requirements of structured merge: the types of values, no undeclared
// fields, and list items with keys. duplicates allows items with equal keys, which stored
// objects may have. null is valid except as an item of a keyed list or set. An error is a
// *TypeError.
//
// known is an object that was validated at least as strictly, or absent. Items that it
// shares are not validated again.
func (w *work) validate(t *schema.Type, v, known document.Value, duplicates bool) error {
	c := checker{w: w, duplicates: duplicates}
	if err := c.check(t, v, known); err != nil {
		slices.Reverse(err.Path)
		return err
	}
	return nil
}

// checker validates an object.
type checker struct {
	w *work
	// duplicates allows duplicate items in lists.
	duplicates bool
}

// check returns a *TypeError whose Path is in reverse order: each caller appends its step.
func (c *checker) check(t *schema.Type, v, known document.Value) *TypeError {
	switch formsOf(t, v).lead() {
	case mapForm:
		if v.IsNull() {
			return nil
		}
		if v.Kind() != document.Object {
			return &TypeError{Mismatch: NotObject, Reason: "expected an object, got " + describe(v)}
		}
		return c.members(t.Map, v, contents(known, document.Object))
	case scalarForm:
		if v.IsNull() || t.TakesScalar(v.Kind()) {
			return nil
		}
		name, mismatch := scalarName(t)
		return &TypeError{Mismatch: mismatch, Reason: "expected " + name + ", got " + describe(v)}
	case listForm:
		if v.IsNull() {
			return nil
		}
		if v.Kind() != document.List {
			return &TypeError{Mismatch: NotList, Reason: "expected a list, got " + describe(v)}
		}
		if t.List.Kind == schema.AtomicList {
			return c.whole(t.List, v)
		}
		return c.items(t.List, v, contents(known, document.List))
	}
	return &TypeError{Reason: "the schema allows no value here"}
}

func (c *checker) members(m *schema.MapType, v, known document.Value) *TypeError {
	field, at := 0, 0
	for i := range v.Len() {
		name := v.Key(i)
		var t *schema.Type
		t, field = memberFrom(m, name, field)
		if t == nil {
			return &TypeError{Path: document.Keys(name), Mismatch: UndeclaredField, Reason: "field not declared in schema"}
		}
		for at < known.Len() && known.Key(at) < name {
			at++
		}
		var before document.Value
		if at < known.Len() && known.Key(at) == name {
			before = known.At(at)
		}
		if err := c.check(t, v.At(i), before); err != nil {
			err.Path = append(err.Path, document.FieldStep(name))
			return err
		}
	}
	return nil
}

// whole validates an atomic list.
func (c *checker) whole(l *schema.ListType, v document.Value) *TypeError {
	for i, item := range v.Items() {
		if err := c.check(l.Elem, item, document.Value{}); err != nil {
			err.Path = append(err.Path, document.IndexStep(i))
			return err
		}
	}
	return nil
}

// items validates a set or a keyed list.
func (c *checker) items(l *schema.ListType, v, known document.Value) *TypeError {
	x, y := c.w.indexOf(l, v), c.w.indexOf(l, known)
	if x.bad >= 0 {
		err := &TypeError{Path: document.Path{}.Item(x.bad), Reason: x.reason}
		if len(l.Keys) > 0 && v.At(x.bad).Kind() != document.Object {
			err.Mismatch = ItemNotObject
		}
		return err
	}
	last := -1
	for i, item := range v.Items() {
		var before document.Value
		if last = y.findNear(x.elements[i], last+1); last >= 0 {
			before = known.At(last)
		}
		if !document.SurelyIdentical(item, before) {
			if err := c.check(l.Elem, item, before); err != nil {
				err.Path = append(err.Path, fieldset.Step(strings.Clone(x.elements[i])))
				return err
			}
		}
		if !c.duplicates && x.follower(i) >= 0 {
			return &TypeError{Path: document.Path{fieldset.Step(strings.Clone(x.elements[i]))}, Mismatch: DuplicateItem, Reason: "duplicate item in the list"}
		}
	}
	return nil
}

// memberFrom returns the type of an object's member, nil if it is undeclared, searching
// m.Fields from an index. It returns the index for the next name; it must be called in
// ascending order of names.
func memberFrom(m *schema.MapType, name string, from int) (*schema.Type, int) {
	for ; from < len(m.Fields); from++ {
		// Usually it is the next one, and the order need not be compared.
		f := &m.Fields[from]
		if f.Name == name {
			return f.Type, from + 1
		}
		if f.Name > name {
			break
		}
	}
	return m.Elem, from
}

func describe(v document.Value) string {
	switch v.Kind() {
	case document.String:
		return "the string " + strconv.Quote(beginning(v.StringOr("")))
	case document.Object:
		return "an object"
	case document.List:
		return "a list"
	case document.Null:
		return "null"
	}
	return "the " + v.Kind().String() + " " + beginning(v.String())
}

// beginning returns the first 40 bytes of a text, extended to a character boundary.
func beginning(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func scalarName(t *schema.Type) (string, Mismatch) {
	switch t.Scalar {
	case schema.StringScalar:
		return "a string", NotString
	case schema.BooleanScalar:
		return "a boolean", NotBoolean
	case schema.IntegerScalar, schema.NumberScalar:
		return "a number", NotNumber
	}
	return "a scalar", 0
}
