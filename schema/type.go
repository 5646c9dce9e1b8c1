// Package schema describes the fields of Kubernetes kinds: their types, how lists and maps
// merge, merge keys and patch strategies, defaults and validation.
//
// One [Type] serves structured merge, strategic merge, defaulting, pruning and validation.
// Types come from the embedded catalog of the built-in kinds ([Builtin]), from
// CustomResourceDefinitions ([FromCRD]), from OpenAPI v3 documents of a cluster
// ([FromOpenAPI]), or are deduced for values without a schema ([Deduced]). Users of a type
// need not know its source.
package schema

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// Type describes a value. Types refer to each other and may be recursive; they are
// immutable and shared.
//
// A type may allow a scalar, a list and a map at the same time; a field without a schema
// does.
type Type struct {
	// Name is the type's name in its source, such as "io.k8s.api.apps.v1.DeploymentSpec";
	// "" if it has none.
	Name string
	// Scalar is the scalar type, NoScalar if scalars are not allowed.
	Scalar Scalar
	// List describes the items; nil if lists are not allowed.
	List *ListType
	// Map describes the members; nil if objects are not allowed.
	Map *MapType
	// Format restricts a scalar: "int32", "int64", "double", "byte", "date-time",
	// "micro-time", "quantity", "fields-v1", or another JSON Schema format.
	Format string
	// Nullable reports whether null is allowed as a value (CRDs only).
	Nullable bool
	// IntOrString reports that values are validated as integers or strings although the type is
	// another one (x-kubernetes-int-or-string beside a type, CRDs only).
	IntOrString bool
	// RepeatsTypes reports that an int-or-string has an anyOf of these two types, which is not
	// part of Validation.
	RepeatsTypes bool
	// Embedded marks an embedded object with apiVersion, kind and metadata
	// (x-kubernetes-embedded-resource).
	Embedded bool
	// Validation holds further validation rules; nil if there are none.
	Validation *Validation
}

// Scalar is a scalar type.
type Scalar uint8

// The scalar types. For structured merge, IntegerScalar and NumberScalar are "numeric",
// AnyScalar and IntOrStringScalar are "untyped".
const (
	NoScalar Scalar = iota
	StringScalar
	IntegerScalar
	NumberScalar
	BooleanScalar
	IntOrStringScalar
	AnyScalar
)

// ListKind is the merge behavior of a list (x-kubernetes-list-type; KEP-555).
type ListKind uint8

// The kinds of lists.
const (
	// AtomicList is replaced as a whole and owned as a whole.
	AtomicList ListKind = iota
	// SetList is a list of unique scalars, each with its own owners.
	SetList
	// KeyedList is a list of objects identified by the fields in Keys ("map").
	KeyedList
)

// ListType describes a list.
type ListType struct {
	Elem *Type
	Kind ListKind
	// Keys of a KeyedList, sorted by name.
	Keys []Key
	// DeclaredKeys are the names of the keys in the order of a CRD's schema, which messages have; nil
	// if that is the order of Keys.
	DeclaredKeys []string
	// PreserveUnknown keeps unknown members of objects in the list
	// (x-kubernetes-preserve-unknown-fields).
	PreserveUnknown bool
	// ElemDefault is the JSON text of the default for a null item that is not nullable; ""
	// for none (custom resources).
	ElemDefault string
}

// Key is a key field of a keyed list.
type Key struct {
	Name string
	// Default is the JSON text of the key's value in items that lack the field; "" for
	// none.
	Default string
}

// MapType describes an object.
type MapType struct {
	// Fields are the declared members, sorted by name.
	Fields []Field
	// Elem is the type of undeclared members in structured merge; nil if they are not
	// allowed. Below x-kubernetes-preserve-unknown-fields and in an object without
	// properties it is Deduced(), of which pruning keeps only what PreserveUnknown allows.
	Elem *Type
	// Atomic reports whether the object is replaced as a whole and owned as a whole
	// (x-kubernetes-map-type: atomic).
	Atomic bool
	// PreserveUnknown keeps unknown members of this object, not of nested ones
	// (x-kubernetes-preserve-unknown-fields).
	PreserveUnknown bool
	// ElemDefault is the JSON text of the default for a null member value that is not
	// nullable; "" for none (custom resources).
	ElemDefault string
	// Object marks the root of a custom resource and embedded objects: Fields then has
	// apiVersion, kind and metadata with the types of all objects. Meta has the schema's
	// own declarations of them, which affect validation and defaulting but not merging.
	Object bool
	Meta   []Field
	// Required lists the required members, in the order of the schema.
	Required []string
}

// Closed reports whether the object may have no members at all (additionalProperties: false).
// Pruning keeps its members, which are invalid.
func (m *MapType) Closed() bool { return m.Elem == nil && len(m.Fields) == 0 && !m.Object }

// Field returns the declared member with the given name; nil if there is none.
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

// fewFields is the number of fields up to which a linear search is faster: most names
// differ in length.
const fewFields = 8

// Member returns the type of a member, declared or not; nil if the map does not allow it.
func (m *MapType) Member(name string) *Type {
	if f := m.Field(name); f != nil {
		return f.Type
	}
	if m == nil {
		return nil
	}
	return m.Elem
}

// At returns the type at a path below type t. Any kind of step leads to the items of a
// list. It is nil if t is nil or the schema has nothing at the path.
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

// Field is a declared member of an object.
type Field struct {
	Name string
	Type *Type
	// Default is the JSON text of the declared default; "" for none. For built-in kinds it
	// is the default declared on the type (+default); those set by default functions are in
	// package schema/defaults.
	Default string
	// Strategy is the patch strategy of strategic merge.
	Strategy PatchStrategy
	// MergeKey is the patch merge key of a list with StrategyMerge; "" if the items are
	// scalars.
	MergeKey string
	// Go is the declaration of the field in the API server's Go type; zero for custom
	// resources.
	Go GoField

	value document.Value // Default, parsed
}

// DefaultValue returns Default in parsed form; absent for none.
func (f *Field) DefaultValue() document.Value {
	if f.value.Exists() {
		return f.value
	}
	return ParseDefault(f.Default)
}

// PatchStrategy is the patch strategy of a field in strategic merge
// (x-kubernetes-patch-strategy).
type PatchStrategy uint8

// The patch strategies; a field may combine StrategyMerge and StrategyRetainKeys.
const (
	// StrategyMerge merges a list by its merge key, or as a set of scalars.
	StrategyMerge PatchStrategy = 1 << 0
	// StrategyRetainKeys keeps only those keys of a map that are in the patch's
	// $retainKeys.
	StrategyRetainKeys PatchStrategy = 1 << 1
	// StrategyReplace replaces a map as a whole. Without a strategy, maps are merged and
	// lists are replaced.
	StrategyReplace PatchStrategy = 1 << 2
)

// String returns the strategy as in x-kubernetes-patch-strategy, such as "merge,retainKeys"; "" if there is none.
func (s PatchStrategy) String() string {
	var names []string
	for i, name := range [...]string{"merge", "retainKeys", "replace"} {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// GoField is how a built-in kind's Go struct declares a field, which determines what is
// dropped in a decoding and encoding round trip.
type GoField uint8

// The properties of a Go field.
const (
	// GoPointer: the field is a pointer, so that zero and missing differ.
	GoPointer GoField = 1 << iota
	// GoOmitEmpty: an empty value is omitted (json:",omitempty").
	GoOmitEmpty
	// GoOmitZero: a zero value is omitted (json:",omitzero").
	GoOmitZero
	// GoInline: the field comes from an embedded struct.
	GoInline
)

// Validation holds the JSON Schema validation of a value beyond its type, from a
// CustomResourceDefinition.
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
	index   *enumIndex       // of a long Enum
	pattern *lazyPattern     // Pattern, compiled
}

// Junctor is a schema below allOf, anyOf, oneOf or not, which affects validation only.
type Junctor struct {
	Type       string // "" for any
	Format     string
	Validation Validation
	Required   []string
	Properties map[string]*Junctor
	Items      *Junctor
}

// Rule is a validation rule in the Common Expression Language (CEL).
type Rule struct{ Rule, Message, MessageExpression, Reason, FieldPath string }
