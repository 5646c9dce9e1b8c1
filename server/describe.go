package server

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Names of types that all groups share.
const (
	metaPackage    = "io.k8s.apimachinery.pkg.apis.meta.v1."
	objectMetaName = metaPackage + "ObjectMeta"
	listMetaName   = metaPackage + "ListMeta"
)

// describer collects the OpenAPI schemas of kinds and of the types that they refer to. The
// schemas of the catalog's types are the published ones, and those of custom resources are in
// their CRDs. The other kinds of a registry, such as those of an OpenAPI document, are
// described by their types.
type describer struct {
	catalog *schema.Catalog
	version string // of the published schemas
	prefix  string // prefix of $ref
	v2      bool   // OpenAPI 2 has neither oneOf nor nullable
	// of is what the document describes; empty for a document of all groups.
	of      contents
	seen    map[string]bool
	schemas document.ObjectBuilder
	// written returns the schema of a custom resource as it is in the CRD.
	written func(*schema.Kind) document.Value
}

// schemaName returns the name of a kind's schema: the name of its type or, for a custom
// resource, its group reversed, version and kind, as in kube-apiserver:
// com.example.lab.v1.Widget.
func schemaName(k *schema.Kind) string {
	if name := k.Type().Name; name != "" {
		return name
	}
	labels := strings.Split(k.Group, ".")
	var b strings.Builder
	for i := len(labels) - 1; i >= 0; i-- {
		b.WriteString(labels[i] + ".")
	}
	return b.String() + k.Version + "." + k.Kind
}

// add adds the paths and the schemas of the contents of a document.
func (d *describer) add(paths *document.ObjectBuilder, c contents) {
	if !c.custom() {
		d.informationPath(paths, c)
	}
	for _, k := range c.kinds {
		d.kind(k)
		d.paths(paths, k)
	}
}

// kind adds the schemas of a kind and of its list.
func (d *describer) kind(k *schema.Kind) {
	name := schemaName(k)
	list := strings.TrimSuffix(name, k.Kind) + k.ListKind
	if d.ofCatalog(k.Type()) {
		d.published(name)
		if k.ListKind != "" {
			d.published(list)
		}
		return
	}
	if !d.seen[name] {
		d.seen[name] = true
		d.schemas.Set(name, d.customSchema(k))
	}
	if k.ListKind != "" && !d.seen[list] {
		d.seen[list] = true
		d.schemas.Set(list, d.customList(k, name))
	}
}

func kindList(group, version, kind string) document.Value {
	return document.NewList(kindObject(group, version, kind))
}

func kindObject(group, version, kind string) document.Value {
	return object("group", text(group), "version", text(version), "kind", text(kind))
}

func (d *describer) reference(name string) document.Value { return object("$ref", text(d.prefix+name)) }

// ofCatalog reports whether a type is one of the catalog, whose schema is published. A type
// with the same name that comes from an OpenAPI document may be of another version.
func (d *describer) ofCatalog(t *schema.Type) bool {
	if d.catalog == nil || t.Name == "" {
		return false
	}
	own, ok := d.catalog.Named(t.Name)
	return ok && own == t
}

// schema describes a type, by reference if it has a name. Names are those of built-in types,
// such as ObjectMeta, or of types that only an OpenAPI document defines.
func (d *describer) schema(t *schema.Type) document.Value {
	if t == nil {
		return document.NewObject()
	}
	if t.Name == "" {
		return d.inline(t)
	}
	if !d.seen[t.Name] && !d.ofCatalog(t) {
		d.seen[t.Name] = true
		d.schemas.Set(t.Name, d.inline(t))
	}
	return d.published(t.Name)
}

// field describes a field. If it has attributes beside its type, such as a default, the
// reference is wrapped in allOf.
func (d *describer) field(f *schema.Field) document.Value {
	out := d.schema(f.Type)
	beside := object(
		"default", literal(f.Default),
		"x-kubernetes-patch-strategy", textOr(f.Strategy.String()),
		"x-kubernetes-patch-merge-key", textOr(f.MergeKey),
	)
	if beside.Len() == 0 {
		return out
	}
	if out.Get("$ref").Exists() && !d.v2 {
		out = object("allOf", document.NewList(out))
	}
	for key, value := range beside.Members() {
		out = out.With(key, value)
	}
	return out
}

// inline describes a type without a reference.
func (d *describer) inline(t *schema.Type) document.Value {
	var b document.ObjectBuilder
	switch {
	case t.Format == "quantity" && !d.v2:
		b.Set("oneOf", document.NewList(object("type", text("string")), object("type", text("number"))))
	case t.Format == "quantity":
		b.Set("type", text("string"))
	case t.Scalar == schema.AnyScalar && t.Name != "":
		b.Set("type", text("object"))
	case t.Scalar == schema.AnyScalar:
		b.Set("x-kubernetes-preserve-unknown-fields", yes(true))
	case t.Scalar == schema.IntOrStringScalar:
		d.scalarSchema(&b, t)
	case t.Map != nil:
		d.mapSchema(&b, t.Map)
	case t.List != nil:
		d.listSchema(&b, t.List)
	default:
		d.scalarSchema(&b, t)
	}
	b.Set("nullable", yes(t.Nullable && !d.v2))
	b.Set("x-kubernetes-embedded-resource", yes(t.Embedded))
	if t.Validation != nil {
		validationSchema(&b, t.Validation)
	}
	return b.Object()
}

func (d *describer) scalarSchema(b *document.ObjectBuilder, t *schema.Type) {
	switch t.Scalar {
	case schema.StringScalar:
		b.Set("type", text("string"))
	case schema.IntegerScalar:
		b.Set("type", text("integer"))
	case schema.NumberScalar:
		b.Set("type", text("number"))
	case schema.BooleanScalar:
		b.Set("type", text("boolean"))
	case schema.IntOrStringScalar:
		d.intOrString(b, t)
		return
	case schema.NoScalar, schema.AnyScalar:
		b.Set("type", text("object"))
	}
	b.Set("format", textOr(publicFormat(t.Format)))
}

// intOrString describes an int-or-string type, for which built-in and custom resources have
// different notations.
func (d *describer) intOrString(b *document.ObjectBuilder, t *schema.Type) {
	switch {
	case d.v2:
		b.Set("type", text("string"))
		b.Set("format", text("int-or-string"))
	case t.Name != "":
		b.Set("oneOf", integerOrString())
		b.Set("format", text("int-or-string"))
	default:
		b.Set("anyOf", integerOrString())
		b.Set("x-kubernetes-int-or-string", yes(true))
	}
}

// publicFormat returns the format, or "" for formats that are internal to package schema.
func publicFormat(format string) string {
	switch format {
	case "quantity", "duration", "fields-v1", "micro-time":
		return ""
	}
	return format
}

func (d *describer) listSchema(b *document.ObjectBuilder, l *schema.ListType) {
	b.Set("type", text("array"))
	b.Set("items", d.schema(l.Elem))
	switch l.Kind {
	case schema.AtomicList:
		b.Set("x-kubernetes-list-type", text("atomic"))
	case schema.SetList:
		b.Set("x-kubernetes-list-type", text("set"))
	case schema.KeyedList:
		keys := make([]string, len(l.Keys))
		for i, k := range l.Keys {
			keys[i] = k.Name
		}
		b.Set("x-kubernetes-list-type", text("map"))
		b.Set("x-kubernetes-list-map-keys", document.NewStrings(keys...))
	}
}

func (d *describer) mapSchema(b *document.ObjectBuilder, m *schema.MapType) {
	b.Set("type", text("object"))
	var properties document.ObjectBuilder
	for i := range m.Fields {
		properties.Set(m.Fields[i].Name, d.field(&m.Fields[i]))
	}
	if properties.Len() > 0 {
		b.Set("properties", properties.Object())
	}
	switch {
	case m.Elem == nil || m.PreserveUnknown || m.Elem == schema.Deduced():
		// the schema does not restrict further members
	case m.Elem == schema.AnyMember():
		b.Set("additionalProperties", yes(true))
	default:
		b.Set("additionalProperties", d.schema(m.Elem))
	}
	if len(m.Required) > 0 {
		b.Set("required", document.NewStrings(m.Required...))
	}
	if m.Atomic {
		b.Set("x-kubernetes-map-type", text("atomic"))
	}
	b.Set("x-kubernetes-preserve-unknown-fields", yes(m.PreserveUnknown))
}

func validationSchema(b *document.ObjectBuilder, v *schema.Validation) {
	if len(v.Enum) > 0 {
		var enum document.ListBuilder
		for _, e := range v.Enum {
			enum.Append(literal(e))
		}
		b.Set("enum", enum.List())
	}
	b.Set("pattern", textOr(v.Pattern))
	b.Set("minimum", number(v.Minimum))
	b.Set("maximum", number(v.Maximum))
	b.Set("multipleOf", number(v.MultipleOf))
	b.Set("exclusiveMinimum", yes(v.ExclusiveMinimum))
	b.Set("exclusiveMaximum", yes(v.ExclusiveMaximum))
	b.Set("minLength", count(v.MinLength))
	b.Set("maxLength", count(v.MaxLength))
	b.Set("minItems", count(v.MinItems))
	b.Set("maxItems", count(v.MaxItems))
	b.Set("minProperties", count(v.MinProperties))
	b.Set("maxProperties", count(v.MaxProperties))
	b.Set("uniqueItems", yes(v.UniqueItems))
}
