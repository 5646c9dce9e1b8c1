package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A form is one of the ways in which a type lets a value be. A type without a
// schema has all three; which of them counts is deduced from the value.
type form uint8

const (
	mapForm form = 1 << iota
	scalarForm
	listForm
)

// formsOf returns the forms that are left of a type for a value: the value's
// own where the type has it, else all of the type. null, an absent value and
// one that does not fit leave them all.
func formsOf(t *schema.Type, v document.Value) form {
	switch v.Kind() {
	case document.Object:
		if t.Map != nil {
			return mapForm
		}
	case document.List:
		if t.List != nil {
			return listForm
		}
	case document.Bool, document.Number, document.String:
		if t.Scalar != schema.NoScalar {
			return scalarForm
		}
	}
	return allForms(t)
}

func allForms(t *schema.Type) form {
	var f form
	if t.Map != nil {
		f |= mapForm
	}
	if t.Scalar != schema.NoScalar {
		f |= scalarForm
	}
	if t.List != nil {
		f |= listForm
	}
	return f
}

// lead returns the form that is taken where several are left: an object before
// a scalar before a list.
func (f form) lead() form { return f & -f }

// Whole reports whether an object or a list of a type has its owners as one:
// what is in it has none of its own. t may be nil, for a type that is not known.
func Whole(t *schema.Type, v document.Value) bool {
	switch v.Kind() {
	case document.Object:
		return t == nil || t.Map == nil || t.Map.Atomic
	case document.List:
		return t == nil || t.List == nil || t.List.Kind == schema.AtomicList
	}
	return false
}

// contents returns what an object or a list holds; for null, an absent value
// and one of another kind nothing, which is an absent value.
func contents(v document.Value, k document.Kind) document.Value {
	if v.Kind() != k {
		return document.Value{}
	}
	return v
}
