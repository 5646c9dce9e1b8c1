// Package schema says what the fields of a Kubernetes kind are: their types,
// how lists and maps merge, merge keys and patch strategies, defaults and what
// is valid.
//
// One [Type] serves structured merge, strategic merge, defaulting, pruning and
// validation. Types come from the compiled catalog of the built-in kinds
// ([Builtin]), from CustomResourceDefinitions ([FromCRD]), from an OpenAPI v3
// document of a cluster ([FromOpenAPI]), or from nowhere ([Deduced]); where they
// came from makes no difference to who uses them.
package schema

import (
	"github.com/patchlab-dev/patchlab/document"
)

// Type is what is known of a value. Types refer to each other and may be
// recursive; they are immutable and shared.
//
// A value may be allowed to be a scalar, a list and a map at once: that is what
// a field without a schema is.
type Type struct {
	// Name is the type's name in its source, such as
	// "io.k8s.api.apps.v1.DeploymentSpec"; "" where it has none.
	Name string
	// Scalar says which scalars the value may be, NoScalar for none.
	Scalar Scalar
	// List says what the items are where the value may be a list, else nil.
	List *ListType
	// Map says what the members are where the value may be an object, else nil.
	Map *MapType
	// Format narrows a scalar: "int32", "int64", "double", "byte", "date-time",
	// "micro-time", "quantity", "fields-v1", or another of JSON schema's.
	Format string
	// Nullable says that null is a value of its own here (CRDs only).
	Nullable bool
	// Embedded marks a whole Kubernetes object with its apiVersion, kind and
	// metadata (x-kubernetes-embedded-resource).
	Embedded bool
	// Validation holds further rules for the value, nil where there are none.
	Validation *Validation
}

// Scalar says which scalars a value may be.
type Scalar uint8

// The scalars. Structured merge knows IntegerScalar and NumberScalar as
// "numeric"; AnyScalar and IntOrStringScalar as "untyped".
const (
	NoScalar Scalar = iota
	StringScalar
	IntegerScalar
	NumberScalar
	BooleanScalar
	IntOrStringScalar
	AnyScalar
)

// ListKind says how a list merges (x-kubernetes-list-type; KEP-555).
type ListKind uint8

// The kinds of lists.
const (
	// AtomicList is replaced as a whole and has one owner.
	AtomicList ListKind = iota
	// SetList is a list of distinct scalars, each of which has owners of its own.
	SetList
	// KeyedList holds objects told apart by the fields in Keys ("map").
	KeyedList
)

// ListType is what is known of a list.
type ListType struct {
	Elem *Type
	Kind ListKind
	// Keys of a KeyedList, sorted by name.
	Keys []Key
	// PreserveUnknown says that unknown members of objects in the list are kept
	// (x-kubernetes-preserve-unknown-fields).
	PreserveUnknown bool
	// ElemDefault is the JSON text of what takes the place of an item that is
	// null and must not be; "" for none (custom resources).
	ElemDefault string
}

// Key is a field that tells the items of a keyed list apart.
type Key struct {
	Name string
	// Default is the JSON text of the value that an item without the field is
	// taken to have; "" for none.
	Default string
}

// MapType is what is known of an object.
type MapType struct {
	// Fields are the named members, sorted by name.
	Fields []Field
	// Elem is the type of members without a name of their own, nil where there
	// may be none. It is what structured merge goes by: below an
	// x-kubernetes-preserve-unknown-fields and in an object without properties
	// it is Deduced(). For pruning see Keeps.
	Elem *Type
	// Atomic reports that the object is replaced as a whole and has one owner
	// (x-kubernetes-map-type: atomic).
	Atomic bool
	// PreserveUnknown says that unknown members of this very object are kept
	// (x-kubernetes-preserve-unknown-fields).
	PreserveUnknown bool
	// ElemDefault is the JSON text of what takes the place of an Elem that is
	// null and must not be; "" for none (custom resources).
	ElemDefault string
	// Object marks the root of a custom resource and objects embedded in one:
	// Fields has apiVersion, kind and metadata as they are in every object. What
	// the schema itself says of them is in Meta: that validates and defaults, and
	// says nothing of merging.
	Object bool
	Meta   []Field
	// Required are the names of members that must be there, sorted.
	Required []string
}

// Keeps reports whether a member that is no field of its own survives pruning:
// it is kept as it is with PreserveUnknown, as an Elem otherwise.
func (m *MapType) Keeps() bool {
	return m.PreserveUnknown || m.Elem != nil && m.Elem != Deduced()
}

// Field finds the member of that name, nil where it has none of its own.
func (m *MapType) Field(name string) *Field {
	if m == nil {
		return nil
	}
	fields := m.Fields
	for len(fields) > fewFields {
		if half := len(fields) / 2; fields[half].Name <= name {
			fields = fields[half:]
		} else {
			fields = fields[:half]
		}
	}
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

// fewFields are searched one by one: most names differ in length already.
const fewFields = 8

// Member returns the type of the member of that name, by its own field or as
// one of many; nil where the map allows none.
func (m *MapType) Member(name string) *Type {
	if f := m.Field(name); f != nil {
		return f.Type
	}
	if m == nil {
		return nil
	}
	return m.Elem
}

// At returns the type of what a path leads to from a value of type t: of a member, or of
// the items of a list, however a step names the item. It is nil where t is nil or the
// schema has nothing there.
func (t *Type) At(path document.Path) *Type {
	for _, step := range path {
		if t == nil {
			return nil
		}
		if name, ok := step.Name(); ok {
			t = t.Map.Member(name)
		} else if t.List != nil {
			t = t.List.Elem
		} else {
			return nil
		}
	}
	return t
}

// Field is a named member of an object.
type Field struct {
	Name string
	Type *Type
	// Default is the JSON text of the value given to the field where it is
	// missing; "" for none. Of built-in kinds only what the field's type
	// declares (+default); what their code fills in besides is not known here.
	Default string
	// Strategy says how strategic merge treats the field.
	Strategy PatchStrategy
	// MergeKey is strategic merge's key of a list with StrategyMerge; "" where
	// the items are scalars.
	MergeKey string
	// Go says how the API server's Go type holds the field; zero for custom
	// resources.
	Go GoField

	value document.Value // Default, parsed
}

// DefaultValue returns the Default as a value, absent for none.
func (f *Field) DefaultValue() document.Value {
	if f.value.Exists() {
		return f.value
	}
	return ParseDefault(f.Default)
}

// PatchStrategy is how strategic merge treats a field (x-kubernetes-patch-strategy).
type PatchStrategy uint8

// The strategies; a field may have StrategyMerge and StrategyRetainKeys.
const (
	// StrategyMerge merges a list by its merge key, or as a set of scalars.
	StrategyMerge PatchStrategy = 1 << 0
	// StrategyRetainKeys lets the patch say which keys of a map stay.
	StrategyRetainKeys PatchStrategy = 1 << 1
	// StrategyReplace replaces a map as a whole. No strategy at all is another
	// thing: maps are then merged, and lists replaced.
	StrategyReplace PatchStrategy = 1 << 2
)

// GoField is how a built-in kind's Go struct holds a field, which decides what
// decoding and encoding it there drops.
type GoField uint8

// Facts about a Go field.
const (
	// GoPointer: the field is a pointer, so that zero and missing differ.
	GoPointer GoField = 1 << iota
	// GoOmitEmpty: an empty value is not written (json:",omitempty").
	GoOmitEmpty
	// GoOmitZero: a zero value is not written (json:",omitzero").
	GoOmitZero
	// GoInline: set where the field comes from an embedded struct.
	GoInline
)

// Validation holds what JSON schema says of a value beyond its type, as a
// CustomResourceDefinition may.
type Validation struct {
	Enum                                     []string // JSON texts
	Pattern                                  string
	Minimum, Maximum, MultipleOf             *float64
	ExclusiveMinimum, ExclusiveMaximum       bool
	MinLength, MaxLength, MinItems, MaxItems *int64
	MinProperties, MaxProperties             *int64
	UniqueItems                              bool
	AllOf, AnyOf, OneOf                      []*Junctor
	Not                                      *Junctor
	// Rules are x-kubernetes-validations.
	Rules []Rule

	enum    []document.Value // Enum, parsed
	pattern *lazyPattern     // Pattern, compiled
}

// Junctor is a schema below allOf, anyOf, oneOf or not: it only validates.
type Junctor struct {
	Type       string // "" for any
	Format     string
	Validation Validation
	Required   []string
	Properties map[string]*Junctor
	Items      *Junctor
}

// Rule is a validation in the Common Expression Language.
type Rule struct{ Rule, Message, MessageExpression, Reason, FieldPath string }
