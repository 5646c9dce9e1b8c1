package kinds

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
)

// same reports whether a value is equal in the new and the old object by apimachinery's
// equality.Semantic: absent and empty lists and maps are equal, and quantities are compared by
// amount. f and old are at the same path, and have f's type.
func (c *check) same(f, old field) bool {
	if document.SameNode(f.Value, old.Value) || document.Identical(f.Value, old.Value) {
		return true
	}
	return sameMeaning(c.typeOf(f.at), f.Value, old.Value)
}

// typeOf returns the type of the field at a step, nil if the schema has none.
func (c *check) typeOf(at int32) *schema.Type {
	s := &c.steps[at]
	if s.kind == rootStep {
		return c.kind.Type()
	}
	t := c.typeOf(s.above)
	switch s.kind {
	case itemStep, hiddenStep, movedStep:
		if t == nil || t.List == nil {
			return nil
		}
		return t.List.Elem
	case keyStep:
		return memberType(t, s.name)
	}
	for name := range strings.SplitSeq(s.name, ".") {
		if name == "" {
			continue
		}
		t = memberType(t, name)
	}
	return t
}

func memberType(t *schema.Type, name string) *schema.Type {
	if t == nil {
		return nil
	}
	return t.Map.Member(name)
}

// sameMeaning compares two values of type t, which is nil for an unknown type.
func sameMeaning(t *schema.Type, a, b document.Value) bool {
	if document.SameNode(a, b) {
		return true
	}
	switch {
	case t == nil:
		return document.Equal(a, b)
	case t.Format == "quantity":
		return sameAmount(a, b)
	case t.Scalar == schema.AnyScalar && t.List != nil && t.Map != nil: // any JSON value
		return document.Equal(a, b)
	case t.Scalar != schema.NoScalar: // before the others: IntOrString has List and Map too
		return document.Equal(a, b) || unset(a) && unset(b)
	case t.List != nil:
		return sameItems(t, a, b)
	case t.Map != nil:
		return sameMembers(t, a, b)
	}
	return document.Equal(a, b)
}

func unset(v document.Value) bool { return !v.Exists() || v.IsNull() }

// sameAmount compares quantities by amount. An absent one is a nil pointer and differs from 0;
// those that are not pointers are always present in a decoded object.
func sameAmount(a, b document.Value) bool {
	x, y := amountOf(a), amountOf(b)
	return unset(a) == unset(b) && x.Cmp(y) == 0
}

// amountOf returns a quantity; an absent or malformed one is 0. White space around it is
// ignored, as the API server's decoder does.
func amountOf(v document.Value) quantity.Quantity {
	text := strings.TrimSpace(v.StringOr(v.NumberText()))
	q, err := quantity.Parse(text)
	if err != nil {
		return quantity.Quantity{}
	}
	return q
}

func sameItems(t *schema.Type, a, b document.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !sameMeaning(t.List.Elem, a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}

// sameMembers compares objects. An absent map equals an empty one; an absent struct behind a
// Go pointer does not.
func sameMembers(t *schema.Type, a, b document.Value) bool {
	isMap := t.Map.Elem != nil && len(t.Map.Fields) == 0
	if !isMap && unset(a) != unset(b) {
		return false
	}
	return membersIn(t, a, b) && membersIn(t, b, a)
}

// membersIn reports whether each member of a is semantically equal in b.
func membersIn(t *schema.Type, a, b document.Value) bool {
	if a.Kind() != document.Object {
		return true
	}
	for i := range a.Len() {
		key := a.Key(i)
		other := b.Get(key)
		if isMap := t.Map.Elem != nil && len(t.Map.Fields) == 0; isMap && !other.Exists() {
			return false
		}
		if !sameMeaning(t.Map.Member(key), a.At(i), other) {
			return false
		}
	}
	return true
}
