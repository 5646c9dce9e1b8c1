package schema

import (
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

// Deduced returns the type that structured merge deduces for a value without a schema: any
// scalar, an atomic list, or an object whose members have the same type. It always returns
// the same pointer.
func Deduced() *Type { return withoutSchema().deduced }

// Untyped returns the type of a value without a schema that is atomic: any scalar, an
// atomic list or an atomic object. It always returns the same pointer.
func Untyped() *Type { return withoutSchema().untyped }

// AnyMember returns the type of members allowed by additionalProperties: true. Structured
// merge deduces their type; pruning keeps them but empties objects in them, because no
// schema declares any field there. It always returns the same pointer.
func AnyMember() *Type { return withoutSchema().anyMember }

// AnyObject returns the type of a custom resource whose definition is not known: apiVersion, kind and metadata
// have the types that they have in all objects, and those of all other fields are deduced. It always returns
// the same pointer.
func AnyObject() *Type { return anyObject() }

var anyObject = sync.OnceValue(func() *Type {
	catalog, err := Builtin("")
	if err != nil { // no type of metadata is known
		return Deduced()
	}
	c := newConverter(document.Value{})
	c.objectMeta, _ = catalog.Named(objectMetaName)
	s := document.NewObject().With("type", document.NewString("object")).With("x-kubernetes-preserve-unknown-fields", document.NewBool(true))
	t := c.typeOf(s, mode{})
	c.objectFields(t.Map, s, mode{})
	return t
})

type schemaless struct{ deduced, untyped, anyMember *Type }

var withoutSchema = sync.OnceValue(func() schemaless {
	u := &Type{Name: "__untyped_atomic_", Scalar: AnyScalar}
	u.List = &ListType{Elem: u}
	u.Map = &MapType{Elem: u, Atomic: true, PreserveUnknown: true}
	d := &Type{Name: "__untyped_deduced_", Scalar: AnyScalar, List: &ListType{Elem: u}}
	d.Map = &MapType{Elem: d, PreserveUnknown: true}
	a := &Type{Scalar: AnyScalar, List: d.List, Map: &MapType{Elem: d}}
	return schemaless{d, u, a}
})

// TakesScalar reports whether structured merge accepts a scalar of kind k as a value of
// type t. It is more lenient than validation: a string with a format other than byte, such
// as date-time, may be any scalar, and an integer may be any number (kube-openapi's
// schemaconv).
func (t *Type) TakesScalar(k document.Kind) bool {
	switch t.Scalar {
	case NoScalar:
		return false
	case StringScalar:
		if k == document.String {
			return true
		}
		return t.Format != "" && t.Format != "byte" && (k == document.Number || k == document.Bool)
	case IntegerScalar, NumberScalar:
		return k == document.Number
	case BooleanScalar:
		return k == document.Bool
	}
	return k == document.String || k == document.Number || k == document.Bool
}
