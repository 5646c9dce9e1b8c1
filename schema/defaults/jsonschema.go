package defaults

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// union decodes a JSON schema or a value of another type: a list of schemas (items), a
// boolean (additionalItems, additionalProperties), or a list of names (dependencies).
// Unknown fields of such a schema are not reported, because the Go types decode
// themselves; for the same reason a value of another type is null and not an error, except
// where a boolean is possible.
func (d *decoder) union(t *schema.Type, v, live document.Value) document.Value {
	other, ok := strings.CutPrefix(t.Name, schema.JSONSchemaProps)
	if !ok || d.schema == nil || v.IsNull() {
		return v
	}
	problems := len(d.problems)
	defer func() { d.problems = d.problems[:problems] }()
	switch {
	case v.Kind() == document.Object:
		return d.value(d.schema, v, live)
	case other == "OrBool":
		if v.Kind() != document.Bool {
			d.fail("boolean or JSON schema expected")
		}
		return v
	case v.Kind() != document.List || v.Len() == 0:
		return document.NewNull()
	}
	elem := d.schema
	if other == "OrStringArray" {
		elem = &schema.Type{Scalar: schema.StringScalar}
	}
	return d.list(&schema.Type{List: &schema.ListType{Elem: elem}}, v, live)
}
