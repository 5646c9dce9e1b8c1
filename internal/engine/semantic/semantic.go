// Package semantic compares values by apimachinery's equality.Semantic: absent and empty lists
// and maps are equal, and quantities are compared by amount.
package semantic

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
)

// Equal reports whether two decoded values of type t, which is nil for an unknown type, are equal.
func Equal(t *schema.Type, a, b document.Value) bool { return comparison{}.equal(t, a, b) }

// A comparison has the type of the JSON schemas of a CustomResourceDefinition, once the
// comparison is within one.
type comparison struct {
	jsonSchema *schema.Type
}

func (c comparison) equal(t *schema.Type, a, b document.Value) bool {
	if document.SameNode(a, b) {
		return true
	}
	if t != nil && t.Name == schema.JSONSchemaProps {
		c.jsonSchema = t
	}
	switch {
	case t == nil:
		return document.Equal(a, b)
	case t.Format == "quantity":
		return EqualAmount(a, b)
	case t.Scalar == schema.AnyScalar && t.List != nil && t.Map != nil: // any JSON value
		if c.jsonSchema != nil && strings.HasPrefix(t.Name, schema.JSONSchemaProps+"Or") {
			return c.sameSchemas(a, b)
		}
		return document.Equal(a, b)
	case t.Scalar != schema.NoScalar: // before the others: IntOrString has List and Map too
		return document.Equal(a, b) || unset(a) && unset(b)
	case t.List != nil:
		return c.sameItems(t.List.Elem, a, b)
	case t.Map != nil:
		return c.sameMembers(t, a, b)
	}
	return document.Equal(a, b)
}

// sameSchemas compares the fields of a JSON schema that hold a schema or, instead, a list of
// schemas, a boolean or a list of names, such as items.
func (c comparison) sameSchemas(a, b document.Value) bool {
	switch {
	case a.Kind() != b.Kind():
		return false
	case a.Kind() == document.Object:
		return c.equal(c.jsonSchema, a, b)
	case a.Kind() == document.List && a.Len() > 0 && a.At(0).Kind() == document.Object:
		return c.sameItems(c.jsonSchema, a, b)
	}
	return document.Equal(a, b)
}

func unset(v document.Value) bool { return !v.Exists() || v.IsNull() }

// EqualAmount compares quantities by amount. An absent one is 0, as the zero value in Go is.
func EqualAmount(a, b document.Value) bool { return Amount(a).Cmp(Amount(b)) == 0 }

// Amount returns a quantity; an absent or malformed one is 0. White space around it is
// ignored, as the API server's decoder does.
func Amount(v document.Value) quantity.Quantity {
	q, err := quantity.Parse(strings.TrimSpace(v.StringOr(v.NumberText())))
	if err != nil {
		return quantity.Quantity{}
	}
	return q
}

func (c comparison) sameItems(elem *schema.Type, a, b document.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !c.equal(elem, a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}

// sameMembers compares objects. An absent map equals an empty one; an absent struct behind a
// Go pointer does not. Members that both objects have are compared once: twice would be 2^n times for
// those at depth n.
func (c comparison) sameMembers(t *schema.Type, a, b document.Value) bool {
	isMap := t.Map.Elem != nil && len(t.Map.Fields) == 0
	if !isMap && unset(a) != unset(b) {
		return false
	}
	for i := range membersOf(a) {
		if !c.sameMember(t, a.Key(i), a.At(i), b.Get(a.Key(i))) {
			return false
		}
	}
	for i := range membersOf(b) {
		if key := b.Key(i); !a.Get(key).Exists() && !c.sameMember(t, key, b.At(i), document.Value{}) {
			return false
		}
	}
	return true
}

// membersOf returns the number of members of an object, 0 for other values.
func membersOf(v document.Value) int {
	if v.Kind() != document.Object {
		return 0
	}
	return v.Len()
}

// sameMember compares a member of an object with that of the other, which may be absent.
func (c comparison) sameMember(t *schema.Type, key string, v, other document.Value) bool {
	if isMap := t.Map.Elem != nil && len(t.Map.Fields) == 0; isMap && !other.Exists() {
		return false
	}
	if f := t.Map.Field(key); f != nil && f.Go&schema.GoPointer != 0 && unset(v) != unset(other) {
		return false // nil and a pointer
	}
	return c.equal(t.Map.Member(key), v, other)
}
