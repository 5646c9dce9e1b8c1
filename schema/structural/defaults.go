package structural

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// ValidateDefaults says which defaults in the schemas of a CRD are not valid by
// those schemas themselves, for which kube-apiserver refuses the CRD: each has to
// be as it would be stored, without members to be pruned. Paths count from the
// CRD.
func ValidateDefaults(crd *schema.CRD) []schema.FieldError {
	var c defaultChecker
	for i, k := range crd.Declared {
		at := "spec.versions[" + strconv.Itoa(i) + "].schema.openAPIV3Schema"
		path := document.Keys("spec", "versions").Item(i).Child("schema").Child("openAPIV3Schema")
		c.check(k.Type(), path, at)
	}
	return c.errs
}

type defaultChecker struct{ errs []schema.FieldError }

func (c *defaultChecker) check(t *schema.Type, path document.Path, at string) {
	if m := t.Map; m != nil {
		for i := range m.Fields {
			f := &m.Fields[i]
			if m.Object && isMeta(f.Name) {
				continue // as all objects have them; m.Meta has what the schema says
			}
			c.field(f, path, at)
		}
		for i := range m.Meta {
			c.field(&m.Meta[i], path, at)
		}
		// kube-apiserver does not look below additionalProperties.
	}
	if l := t.List; l != nil && described(l.Elem) != nil {
		path, at := path.Child("items"), at+".items"
		if l.ElemDefault != "" {
			c.value(l.Elem, schema.ParseDefault(l.ElemDefault), path, at)
		}
		c.check(l.Elem, path, at)
	}
}

func (c *defaultChecker) field(f *schema.Field, path document.Path, at string) {
	path, at = path.Child("properties").Child(f.Name), at+".properties["+f.Name+"]"
	if f.Default != "" {
		c.value(f.Type, f.DefaultValue(), path, at)
	}
	c.check(f.Type, path, at)
}

// value checks one default.
func (c *defaultChecker) value(t *schema.Type, v document.Value, path document.Path, at string) {
	path, at = path.Child("default"), at+".default"
	var p pruner
	if p.value(t, v, false, t.Embedded); len(p.unknown) > 0 {
		c.errs = append(c.errs, schema.FieldError{Type: schema.ErrorInvalid, Path: path, Field: at, BadValue: v, Detail: "must not have unknown fields"})
	}
	var w validator
	w.value(t, v, document.Value{})
	w.embedded(t, v, false, nil)
	for _, e := range w.finish() {
		if e.Field == "<nil>" {
			e.Field = at
		} else {
			e.Field = at + "." + e.Field
		}
		e.Path = append(path[:len(path):len(path)], e.Path...)
		c.errs = append(c.errs, e)
	}
}
