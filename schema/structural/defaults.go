package structural

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// ValidateDefaults returns the errors of the defaults in a CRD's schemas, for which
// kube-apiserver refuses the CRD: each default must be valid by its schema, and pruning
// must not change it. The formats are those of the catalog's Kubernetes version, of schema.DefaultVersion
// if it is nil. Paths begin at the CRD's root.
func ValidateDefaults(crd *schema.CRD, catalog *schema.Catalog) []schema.FieldError {
	c := defaultChecker{catalog: catalog}
	versions := crd.Object.Lookup("spec", "versions")
	shared := sharedSchema(versions)
	for i, k := range crd.Declared {
		c.path = document.Keys("spec", "versions").Item(i).Child("schema").Child("openAPIV3Schema")
		c.text = []string{"spec.versions[" + strconv.Itoa(i) + "].schema.openAPIV3Schema"}
		if shared {
			c.text = []string{"spec.validation.openAPIV3Schema"}
		}
		if shared && i > 0 {
			continue
		}
		if v := versions.At(i).Lookup("schema", "openAPIV3Schema", "default"); v.Exists() && !v.IsNull() {
			c.value(k.Type(), v)
		}
		c.check(k.Type())
	}
	return c.errs
}

// sharedSchema reports whether all versions have the same schema; messages then use the
// field path of the v1beta1 API.
func sharedSchema(versions document.Value) bool {
	for _, v := range versions.Items() {
		if !document.Equal(v.Get("schema"), versions.At(0).Get("schema")) {
			return false
		}
	}
	return true
}

// defaultChecker walks the schema of a version. Its path and text are those of the current
// schema.
type defaultChecker struct {
	path document.Path
	text []string
	// inMeta is set in the schemas of apiVersion, kind and metadata, which are not pruned.
	inMeta  bool
	catalog *schema.Catalog
	errs    []schema.FieldError
}

// below calls f for a subschema of the current schema.
func (c *defaultChecker) below(text string, f func(), keys ...string) {
	path, texts := len(c.path), len(c.text)
	c.path, c.text = append(c.path, document.Keys(keys...)...), append(c.text, text)
	f()
	c.path, c.text = c.path[:path], c.text[:texts]
}

func (c *defaultChecker) check(t *schema.Type) {
	if m := t.Map; m != nil {
		for i := range m.Fields {
			f := &m.Fields[i]
			if m.Object && isMeta(f.Name) {
				continue // the type common to all objects; m.Meta has the schema's own
			}
			c.field(f)
		}
		inMeta := c.inMeta
		c.inMeta = true
		for i := range m.Meta {
			c.field(&m.Meta[i])
		}
		c.inMeta = inMeta
		// kube-apiserver does not check additionalProperties.
	}
	if l := t.List; l != nil && described(l.Elem) != nil {
		c.below(".items", func() {
			if l.ElemDefault != "" {
				c.value(l.Elem, schema.ParseDefault(l.ElemDefault))
			}
			c.check(l.Elem)
		}, "items")
	}
}

func (c *defaultChecker) field(f *schema.Field) {
	c.below(".properties["+f.Name+"]", func() {
		if f.Default != "" {
			c.value(f.Type, f.DefaultValue())
		}
		c.check(f.Type)
	}, "properties", f.Name)
}

// value validates one default.
func (c *defaultChecker) value(t *schema.Type, v document.Value) {
	path, at := append(slices.Clone(c.path), document.Keys("default")...), strings.Join(c.text, "")+".default"
	var p pruner
	if p.value(t, v, document.Value{}, false, t.Embedded); len(p.unknown) > 0 && !c.inMeta {
		c.errs = append(c.errs, schema.FieldError{Type: schema.ErrorInvalid, Path: path, Field: at, BadValue: v, Detail: "must not have unknown fields"})
	}
	w := validator{anyIntOrString: true, catalog: c.catalog}
	w.value(t, v, document.Value{}, document.Value{})
	if m := t.Map; m != nil && m.Object && !t.Embedded && v.Kind() == document.Object { // the default of a whole object
		w.objectMeta(v, nil)
	}
	w.embedded(t, v, document.Value{}, false, nil)
	for _, e := range w.finish() {
		if e.Field == rootField {
			e.Field = at
		} else {
			e.Field = at + "." + e.Field
		}
		e.Path = slices.Concat(path, e.Path)
		c.errs = append(c.errs, e)
	}
}
