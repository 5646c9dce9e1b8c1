package managedfields

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// peer is apimachinery's field manager for unstructured objects of one kind.
type peer struct {
	manager *managedfields.FieldManager
	gvk     kschema.GroupVersionKind
}

// typesOf returns the types of a kind, from the OpenAPI schema that a cluster would
// publish for them. Another test compares the catalog's types with those of the API
// server.
func typesOf(k *schema.Kind) (managedfields.TypeConverter, error) {
	m := models{}
	root := m.schema(k.Type())
	root.Extensions["x-kubernetes-group-version-kind"] = []any{
		map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind},
	}
	m["the kind"] = root
	return managedfields.NewTypeConverter(m, false)
}

func newPeer(k *schema.Kind, types managedfields.TypeConverter) (*peer, error) {
	gvk := kschema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
	m, err := managedfields.NewDefaultCRDFieldManager(types, plain{}, plain{}, plain{}, gvk, gvk.GroupVersion(), "", nil)
	return &peer{m, gvk}, err
}

// plain implements conversion and defaulting as no-ops and creates empty objects.
type plain struct{}

func (plain) Convert(in, out, context any) error { return fmt.Errorf("not used") }
func (plain) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (plain) ConvertFieldLabel(_ kschema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (plain) Default(runtime.Object) {}
func (plain) New(gvk kschema.GroupVersionKind) (runtime.Object, error) {
	return emptyOf(gvk), nil
}

func emptyOf(gvk kschema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(gvk)
	return u
}

// object decodes JSON as the API server does.
func object(body []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	return u, kjson.Unmarshal(body, &u.Object)
}

// apply applies a configuration, from bytes to bytes. live is nil if the object does
// not exist.
func (p *peer) apply(live, config []byte, manager string, force bool) ([]byte, error) {
	l := emptyOf(p.gvk)
	var err error
	if live != nil {
		if l, err = object(live); err != nil {
			return nil, err
		}
	}
	c, err := object(config)
	if err != nil {
		return nil, err
	}
	out, err := p.manager.Apply(l, c, manager, force)
	if err != nil {
		return nil, err
	}
	return out.(*unstructured.Unstructured).MarshalJSON()
}

func (p *peer) update(live, next []byte, manager string) ([]byte, error) {
	l := emptyOf(p.gvk)
	var err error
	if live != nil {
		if l, err = object(live); err != nil {
			return nil, err
		}
	}
	n, err := object(next)
	if err != nil {
		return nil, err
	}
	out, err := p.manager.Update(l, n, manager)
	if err != nil {
		return nil, err
	}
	return out.(*unstructured.Unstructured).MarshalJSON()
}

// models are OpenAPI schemas by name.
type models map[string]*spec.Schema

// ref returns the schema of a type, as a reference if the type has a name.
func (m models) ref(t *schema.Type) *spec.Schema {
	if t.Name == "" || t == schema.Deduced() || t.Map == nil && t.List == nil || t.Scalar != schema.NoScalar {
		return m.schema(t)
	}
	name := modelName(t)
	if m[name] == nil {
		m[name] = &spec.Schema{}
		*m[name] = *m.schema(t)
	}
	return &spec.Schema{SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef("#/components/schemas/" + name)}}
}

// modelName returns a name that distinguishes a type from its atomic variant.
func modelName(t *schema.Type) string {
	if t.Map != nil && t.Map.Atomic {
		return t.Name + ".atomic"
	}
	return t.Name
}

const rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension"

// schema returns an OpenAPI schema from which the type can be derived.
func (m models) schema(t *schema.Type) *spec.Schema {
	s := &spec.Schema{}
	s.Extensions = spec.Extensions{}
	switch {
	case t == schema.Deduced():
		s.Extensions["x-kubernetes-preserve-unknown-fields"] = true
	case t.Map != nil && t.Map.Atomic && t.Scalar != schema.NoScalar: // any value, atomic
		m[rawExtension] = &spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}}}
		s.Ref = spec.MustCreateRef("#/components/schemas/" + rawExtension)
	case t.Map != nil && t.Scalar != schema.NoScalar: // any value
	case t.Map != nil:
		m.object(t.Map, s)
	case t.List != nil:
		m.list(t.List, s)
	case t.Scalar == schema.StringScalar:
		s.Type, s.Format = spec.StringOrArray{"string"}, t.Format
	case t.Scalar == schema.IntegerScalar:
		s.Type = spec.StringOrArray{"integer"}
	case t.Scalar == schema.NumberScalar:
		s.Type = spec.StringOrArray{"number"}
	case t.Scalar == schema.BooleanScalar:
		s.Type = spec.StringOrArray{"boolean"}
	default:
		s.Type, s.Format = spec.StringOrArray{"string"}, "int-or-string"
	}
	return s
}

func (m models) object(t *schema.MapType, s *spec.Schema) {
	s.Type = spec.StringOrArray{"object"}
	s.Properties = map[string]spec.Schema{}
	for i := range t.Fields {
		f := &t.Fields[i]
		p := *m.ref(f.Type)
		if d := f.DefaultValue(); d.Exists() {
			p.Default = goValue(d)
		}
		s.Properties[f.Name] = p
	}
	switch {
	case t.Elem == schema.Deduced():
		s.AdditionalProperties = &spec.SchemaOrBool{Allows: true}
	case t.Elem != nil:
		s.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: m.ref(t.Elem)}
	default:
		s.AdditionalProperties = &spec.SchemaOrBool{}
	}
	if t.Atomic {
		s.Extensions["x-kubernetes-map-type"] = "atomic"
	}
}

func (m models) list(t *schema.ListType, s *spec.Schema) {
	s.Type = spec.StringOrArray{"array"}
	items := m.ref(t.Elem)
	s.Items = &spec.SchemaOrArray{Schema: items}
	switch t.Kind {
	case schema.AtomicList:
		s.Extensions["x-kubernetes-list-type"] = "atomic"
	case schema.SetList:
		s.Extensions["x-kubernetes-list-type"] = "set"
	case schema.KeyedList:
		s.Extensions["x-kubernetes-list-type"] = "map"
		if items = m[modelName(t.Elem)]; items == nil {
			items = s.Items.Schema
		}
		keys := []any{}
		for _, k := range t.Keys {
			keys = append(keys, k.Name)
			if p, ok := items.Properties[k.Name]; ok && k.Default != "" {
				p.Default = goValue(schema.ParseDefault(k.Default))
				items.Properties[k.Name] = p
			}
		}
		s.Extensions["x-kubernetes-list-map-keys"] = keys
	}
}

func goValue(v document.Value) any {
	var x any
	if err := kjson.Unmarshal(v.JSON(), &x); err != nil {
		return nil
	}
	return x
}
