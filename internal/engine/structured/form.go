package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// form is the form of a value: an object, a scalar or a list. A type without a schema
// allows all three; the form is then deduced from the value.
type form uint8

const (
	mapForm form = 1 << iota
	scalarForm
	listForm
)

// formsOf returns the form of a value if the type allows it. For null, an absent value and
// a mismatch it returns all forms that the type allows.
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

// lead returns the preferred one of several forms: object, then scalar, then list.
func (f form) lead() form { return f & -f }

// Whole reports whether an object or list of a type is atomic, so that nothing in it has
// its own owners. t is nil for an unknown type.
func Whole(t *schema.Type, v document.Value) bool {
	switch v.Kind() {
	case document.Object:
		return t == nil || t.Map == nil || t.Map.Atomic
	case document.List:
		return t == nil || t.List == nil || t.List.Kind == schema.AtomicList
	}
	return false
}

// contents returns v if it has the given kind, else an absent value.
func contents(v document.Value, k document.Kind) document.Value {
	if v.Kind() != k {
		return document.Value{}
	}
	return v
}
