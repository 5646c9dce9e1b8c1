package schema

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// converter converts JSON schemas to types: those of an OpenAPI v3 document, which refer to
// each other by name, and those of a CRD, which are inline.
//
// The part used by structured merge (scalars, lists, maps, relationships) follows
// kube-openapi's schemaconv, which kube-apiserver's field manager uses. The rest serves
// pruning, defaulting and validation.
type converter struct {
	schemas  document.Value // components.schemas; absent for a CRD
	named    map[string]*Type
	variants map[variant]*Type
	pending  []pendingVariant
	err      error
	// objectMeta is the type of metadata in custom resources and embedded objects
	// regardless of their schema; nil in OpenAPI documents, which refer to it.
	objectMeta *Type
}

// A variant is a named type whose relationship is overridden by a field's own
// x-kubernetes-map-type.
type variant struct {
	name   string
	atomic bool
}

type pendingVariant struct {
	variant
	typ, base *Type
}

// mode is inherited by a schema from its parent.
type mode struct {
	// preserve: structured merge accepts unknown members, because this schema or a parent
	// preserves unknown fields. A reference resets it.
	preserve bool
	// builtin: the schema is of a built-in kind, whose Go types determine what is kept, and
	// not of a custom resource.
	builtin bool
}

const (
	quantityName     = "io.k8s.apimachinery.pkg.api.resource.Quantity"
	rawExtensionName = "io.k8s.apimachinery.pkg.runtime.RawExtension"
	objectMetaName   = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	microTimeName    = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"
	fieldsV1Name     = "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"
)

// JSONSchemaProps is the name of the type of the schemas of a CustomResourceDefinition. The
// fields items, additionalItems, additionalProperties and dependencies, which hold a schema or
// a value of another type, have types whose names begin with it.
const JSONSchemaProps = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"

// builtinName reports whether an OpenAPI name belongs to one of the API server's Go types.
func builtinName(name string) bool {
	for _, p := range []string{"io.k8s.api.", "io.k8s.apimachinery.",
		"io.k8s.apiextensions-apiserver.", "io.k8s.kube-aggregator."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func newConverter(schemas document.Value) *converter {
	return &converter{schemas: schemas, named: map[string]*Type{}, variants: map[variant]*Type{}}
}

func (c *converter) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// finish completes the fields that need all types to be known.
func (c *converter) finish() error {
	for _, p := range c.pending {
		*p.typ = *p.base
		switch {
		case p.base.Map != nil:
			m := *p.base.Map
			m.Atomic = p.atomic
			p.typ.Map = &m
		case p.base.List != nil && p.atomic:
			l := *p.base.List
			l.Kind, l.Keys = AtomicList, nil
			p.typ.List = &l
		}
	}
	c.pending = nil
	return c.err
}

// reference returns the type with the given name in the document.
func (c *converter) reference(name string) *Type {
	if t := c.named[name]; t != nil {
		return t
	}
	t := &Type{Name: name}
	c.named[name] = t
	s := c.schemas.Get(name)
	if !s.Exists() {
		c.fail("components.schemas does not contain the referenced type %q", name)
		return t
	}
	switch name {
	case quantityName:
		t.Scalar, t.Format = AnyScalar, "quantity"
	case rawExtensionName:
		t.Scalar, t.List, t.Map = AnyScalar, Untyped().List, Untyped().Map
	default:
		c.fill(t, s, mode{builtin: builtinName(name)})
	}
	switch name {
	case microTimeName:
		t.Format = "micro-time"
	case fieldsV1Name:
		t.Format = "fields-v1"
		if t.Map != nil { // a document may define it in any way
			t.Map.PreserveUnknown = true
		}
	}
	return t
}

// typeOf returns the type of a subschema, which is a reference or inline.
func (c *converter) typeOf(s document.Value, m mode) *Type {
	name := referenceOf(s)
	if name == "" {
		t := &Type{}
		c.fill(t, s, m)
		return t
	}
	base := c.reference(name)
	relation, ok := s.Get("x-kubernetes-map-type").Text()
	if !ok {
		return base
	}
	v := variant{name, relation == "atomic"}
	if t := c.variants[v]; t != nil {
		return t
	}
	t := &Type{Name: name}
	c.variants[v] = t
	c.pending = append(c.pending, pendingVariant{v, t, base})
	return t
}

// referenceOf returns the name in a schema's reference, which may be wrapped in an allOf
// with one member; OpenAPI v3 adds a description to a reference in this way.
func referenceOf(s document.Value) string {
	ref := s.Get("$ref").StringOr("")
	if all := s.Get("allOf"); ref == "" && all.Kind() == document.List && all.Len() == 1 {
		ref = all.At(0).Get("$ref").StringOr("")
	}
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// resolve returns the schema that s refers to, or s itself.
func (c *converter) resolve(s document.Value) document.Value {
	if name := referenceOf(s); name != "" {
		return c.schemas.Get(name)
	}
	return s
}

func flag(s document.Value, name string) bool {
	b, _ := s.Get(name).Bool()
	return b
}

func (c *converter) fill(t *Type, s document.Value, m mode) {
	if flag(s, "x-kubernetes-preserve-unknown-fields") {
		m.preserve = true
	}
	format := s.Get("format").StringOr("")
	switch typ := s.Get("type").StringOr(""); typ {
	case "object":
		t.Map = c.mapOf(s, m)
	case "array":
		t.List = c.listOf(s, m)
	case "string":
		t.Scalar, t.Format = StringScalar, format
	case "integer":
		t.Scalar, t.Format = IntegerScalar, format
	case "number":
		t.Scalar, t.Format = NumberScalar, format
	case "boolean":
		t.Scalar, t.Format = BooleanScalar, format
	case "":
		t.Scalar, t.Format = AnyScalar, format
		if format == "int-or-string" || flag(s, "x-kubernetes-int-or-string") {
			t.Scalar, t.Format = IntOrStringScalar, ""
		}
		t.List, t.Map = c.listOf(s, m), c.mapOf(s, m)
		if m.builtin {
			t.Map.PreserveUnknown = true
		}
	default:
		c.fail("type %q must be object, array, string, integer, number or boolean", typ)
	}
	if !m.builtin {
		t.Nullable = flag(s, "nullable")
		t.IntOrString = t.Scalar != IntOrStringScalar && flag(s, "x-kubernetes-int-or-string")
		t.Embedded = flag(s, "x-kubernetes-embedded-resource")
		t.RepeatsTypes = t.Scalar == IntOrStringScalar && isIntOrString(s.Get("anyOf"))
		t.Validation = c.validation(s, t.RepeatsTypes)
		if t.Embedded && t.Map != nil {
			c.objectFields(t.Map, s, m)
		}
	}
}

func (c *converter) mapOf(s document.Value, m mode) *MapType {
	mt := &MapType{
		Atomic:          s.Get("x-kubernetes-map-type").StringOr("") == "atomic",
		PreserveUnknown: flag(s, "x-kubernetes-preserve-unknown-fields"),
	}
	props := s.Get("properties")
	if n := props.Len(); n > 0 {
		mt.Fields = make([]Field, 0, n)
	}
	for name, p := range props.Members() {
		mt.Fields = append(mt.Fields, c.field(name, p, m))
	}
	more := s.Get("additionalProperties")
	allows, isBool := more.Bool()
	switch {
	case more.Kind() == document.Object:
		mt.Elem = c.typeOf(more, m)
		mt.ElemDefault = defaultOf(more, m)
	case isBool && allows:
		mt.Elem = AnyMember()
	case isBool:
	case m.preserve || len(mt.Fields) == 0:
		mt.Elem = Deduced()
	}
	for _, r := range s.Get("required").Items() {
		if name, ok := r.Text(); ok {
			mt.Required = append(mt.Required, name)
		}
	}
	return mt
}

// objectFields adds apiVersion, kind and metadata to the root of a custom resource or an
// embedded object. kube-apiserver does the same before it converts a CRD's schema for
// structured merge.
func (c *converter) objectFields(m *MapType, s document.Value, inherited mode) {
	if c.objectMeta == nil {
		return
	}
	m.Object = true
	text := &Type{Scalar: StringScalar}
	for _, f := range []Field{{Name: "apiVersion", Type: text}, {Name: "kind", Type: text}, {Name: "metadata", Type: c.objectMeta}} {
		own := m.Field(f.Name)
		if own == nil {
			m.Fields = append(m.Fields, f)
			sort.SliceStable(m.Fields, func(i, j int) bool { return m.Fields[i].Name < m.Fields[j].Name })
			continue
		}
		m.Meta = append(m.Meta, *own)
		*own = f
	}
	preserve := inherited.preserve || m.PreserveUnknown
	if m.Elem == Deduced() && !preserve && !s.Get("additionalProperties").Exists() {
		m.Elem = nil // it was set for lack of properties
	}
}

func (c *converter) field(name string, p document.Value, m mode) Field {
	f := Field{Name: name, Type: c.typeOf(p, m), Default: defaultOf(p, m)}
	f.value = ParseDefault(f.Default)
	switch s := p.Get("x-kubernetes-patch-strategy").StringOr(""); s {
	case "":
	case "merge":
		f.Strategy = StrategyMerge
	case "replace":
		f.Strategy = StrategyReplace
	case "retainKeys":
		f.Strategy = StrategyRetainKeys
	case "merge,retainKeys":
		f.Strategy = StrategyMerge | StrategyRetainKeys
	default:
		c.fail("field %q: unknown x-kubernetes-patch-strategy %q", name, s)
	}
	f.MergeKey = p.Get("x-kubernetes-patch-merge-key").StringOr("")
	return f
}

// defaultOf returns the JSON text of a schema's default. It omits zero values of built-in
// kinds: OpenAPI lists them for every field that is not a pointer, and no server sets them.
func defaultOf(s document.Value, m mode) string {
	d := s.Get("default")
	if !d.Exists() || d.IsNull() {
		return ""
	}
	text := string(d.AppendJSON(nil))
	if m.builtin && (text == "{}" || text == `""` || text == "0" || text == "false") {
		return ""
	}
	return text
}

// ParseDefault parses the JSON text of a default. The result is absent for "".
func ParseDefault(text string) document.Value {
	if text == "" {
		return document.Value{}
	}
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		return document.Value{}
	}
	return d.Root
}

func (c *converter) listOf(s document.Value, m mode) *ListType {
	items := s.Get("items")
	lt := &ListType{Elem: Untyped(), PreserveUnknown: flag(s, "x-kubernetes-preserve-unknown-fields")}
	if items.Exists() {
		lt.Elem = c.typeOf(items, m)
		lt.ElemDefault = defaultOf(items, m)
	} else if s.Get("type").Exists() {
		c.fail("items must be specified on arrays")
	}
	keys, merge := c.relationship(s)
	switch {
	case len(keys) > 0:
		lt.Kind = KeyedList
	case merge:
		lt.Kind = SetList
	}
	props := c.resolve(items).Get("properties")
	for _, k := range keys {
		key := Key{Name: k}
		if d := props.Get(k).Get("default"); d.Exists() && !d.IsNull() {
			key.Default = string(d.AppendJSON(nil))
		}
		lt.Keys = append(lt.Keys, key)
	}
	if !slices.IsSorted(keys) && !m.builtin {
		lt.DeclaredKeys = keys
	}
	sort.SliceStable(lt.Keys, func(i, j int) bool { return lt.Keys[i].Name < lt.Keys[j].Name })
	return lt
}

// relationship returns how a list merges: by keys, as a set (merge without keys), or
// atomically. Without a list type the patch strategy applies.
func (c *converter) relationship(s document.Value) (keys []string, merge bool) {
	listType := s.Get("x-kubernetes-list-type").StringOr("")
	strategy := s.Get("x-kubernetes-patch-strategy").StringOr("")
	switch listType {
	case "atomic":
		return nil, false
	case "set":
		return nil, true
	case "map":
		for _, k := range s.Get("x-kubernetes-list-map-keys").Items() {
			if name, ok := k.Text(); ok {
				keys = append(keys, name)
			}
		}
		if len(keys) == 0 {
			c.fail("x-kubernetes-list-map-keys must be given where x-kubernetes-list-type is map")
		}
		return keys, true
	case "":
	default:
		c.fail("x-kubernetes-list-type %q must be atomic, set or map", listType)
		return nil, false
	}
	if strategy != "merge" && strategy != "merge,retainKeys" {
		return nil, false
	}
	if key, ok := s.Get("x-kubernetes-patch-merge-key").Text(); ok {
		return []string{key}, true
	}
	return nil, true
}
