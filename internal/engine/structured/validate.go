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
	c.check(t, v, known)
	if len(c.errs) == 0 {
		return nil
	}
	for _, err := range c.errs {
		slices.Reverse(err.Path)
	}
	first := c.errs[0]
	first.Others = c.errs[1:]
	return first
}

// checker validates an object.
type checker struct {
	w *work
	// duplicates allows duplicate items in lists.
	duplicates bool
	// errs are the errors so far. Their paths are in reverse order: each level appends its step
	// to those found below it.
	errs []*TypeError
}

func (c *checker) check(t *schema.Type, v, known document.Value) {
	switch formsOf(t, v).lead() {
	case mapForm:
		switch v.Kind() {
		case document.Null:
		case document.Object:
			c.members(t.Map, v, contents(known, document.Object))
		default:
			c.mistyped(NotObject, "an object", v)
		}
	case scalarForm:
		if !v.IsNull() && !t.TakesScalar(v.Kind()) {
			name, mismatch := scalarName(t)
			c.mistyped(mismatch, name, v)
		}
	case listForm:
		switch {
		case v.IsNull():
		case v.Kind() != document.List:
			c.mistyped(NotList, "a list", v)
		case t.List.Kind == schema.AtomicList:
			c.whole(t.List, v)
		default:
			c.items(t.List, v, contents(known, document.List))
		}
	default:
		c.add(0, "the schema allows no value here")
	}
}

// add adds an error in the current value.
func (c *checker) add(m Mismatch, reason string) *TypeError {
	err := &TypeError{Mismatch: m, Reason: reason}
	c.errs = append(c.errs, err)
	return err
}

// mistyped adds the error of a value of a wrong type.
func (c *checker) mistyped(m Mismatch, want string, v document.Value) {
	c.add(m, "expected "+want+", got "+describe(v)).Value = v
}

// below appends a step to the paths of the errors found since start.
func (c *checker) below(start int, step document.Step) {
	for _, err := range c.errs[start:] {
		err.Path = append(err.Path, step)
	}
}

// members validates an object up to its first undeclared field, like structured-merge-diff.
func (c *checker) members(m *schema.MapType, v, known document.Value) {
	field, at := 0, 0
	for i := range v.Len() {
		name, start := v.Key(i), len(c.errs)
		var t *schema.Type
		t, field = memberFrom(m, name, field)
		if t == nil {
			c.add(UndeclaredField, Undeclared).Path = document.Keys(name)
			return
		}
		for at < known.Len() && known.Key(at) < name {
			at++
		}
		var before document.Value
		if at < known.Len() && known.Key(at) == name {
			before = known.At(at)
		}
		if c.check(t, v.At(i), before); len(c.errs) > start {
			c.below(start, document.FieldStep(name))
		}
	}
}

// whole validates an atomic list.
func (c *checker) whole(l *schema.ListType, v document.Value) {
	for i, item := range v.Items() {
		start := len(c.errs)
		if c.check(l.Elem, item, document.Value{}); len(c.errs) > start {
			c.below(start, document.IndexStep(i))
		}
	}
}

// items validates a set or a keyed list up to the first item that has no path element, like
// structured-merge-diff.
func (c *checker) items(l *schema.ListType, v, known document.Value) {
	x, y := c.w.indexOf(l, v), c.w.indexOf(l, known)
	last := -1
	for i, item := range v.Items() {
		if i == x.bad {
			c.noElement(x.mismatch, l, item)
			c.below(len(c.errs)-1, document.IndexStep(i))
			return
		}
		start := len(c.errs)
		if !c.duplicates && !x.isFirst(i) {
			c.add(DuplicateItem, Duplicate)
		}
		var before document.Value
		if last = y.findNear(x.elements[i], last+1); last >= 0 {
			before = known.At(last)
		}
		if !document.SurelyIdentical(item, before) {
			c.check(l.Elem, item, before)
		}
		if len(c.errs) > start {
			c.below(start, fieldset.Step(strings.Clone(x.elements[i])))
		}
	}
}

// noElement adds the error of an item that has no path element.
func (c *checker) noElement(m Mismatch, l *schema.ListType, item document.Value) {
	switch m {
	case SetObject:
		c.add(m, "an item of a set may not be an object")
	case SetList:
		c.add(m, "an item of a set may not be a list")
	case SetNull:
		c.add(m, "an item of a set may not be null")
	case KeyedNoKeys:
		err := c.add(m, "")
		if err.Keys = l.DeclaredKeys; err.Keys == nil {
			for _, k := range l.Keys {
				err.Keys = append(err.Keys, k.Name)
			}
		}
		err.Reason = "an item of this list must have at least one of its keys: " + strings.Join(err.Keys, ", ")
	default:
		c.add(m, "an item of a list with keys must be an object, this is "+describe(item))
	}
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
		if t.TakesScalar(document.Number) {
			return "a string", NotScalar
		}
		return "a string", NotString
	case schema.BooleanScalar:
		return "a boolean", NotBoolean
	case schema.IntegerScalar, schema.NumberScalar:
		return "a number", NotNumber
	}
	return "a scalar", NotScalar
}
