package defaults

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// definitionSpec is the type of the spec of a CustomResourceDefinition.
const definitionSpec = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec"

// sharedParts gives all versions of a CustomResourceDefinition the parts of the first version that
// are equal in all of them. The internal version of the API server has such a part once, beside
// the versions. Parts that differ only in empty lists and maps are equal, so an empty list that
// only a later version has is lost.
func (d *decoder) sharedParts(t *schema.Type, spec document.Value) document.Value {
	versions := spec.Get("versions")
	if !d.differs || versions.Len() < 2 { // no empty list or map was kept
		return spec
	}
	elem := t.Map.Member("versions").List.Elem
	stored := make([]document.Value, versions.Len())
	for i, v := range versions.Items() {
		stored[i] = (&decoder{from: d.from, text: d.text}).value(elem, v, document.Value{})
	}
	var shared []string
	for _, part := range [...]string{"schema", "subresources", "additionalPrinterColumns", "selectableFields"} {
		if !slices.ContainsFunc(stored, func(v document.Value) bool { return !document.Equal(v.Get(part), stored[0].Get(part)) }) {
			shared = append(shared, part)
		}
	}
	var all document.ListBuilder
	for _, v := range versions.Items() {
		for _, part := range shared {
			if first := versions.At(0).Get(part); first.Exists() {
				v = v.With(part, first)
			} else {
				v = v.Without(part)
			}
		}
		all.Append(v)
	}
	return spec.With("versions", all.List())
}

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
	problems, err, stopped := len(d.problems), d.err, d.stopped
	d.err, d.stopped = nil, false // an inner decoder reports the first error that it finds itself
	defer func() {
		d.problems = d.problems[:problems]
		if d.err == nil || stopped || err != nil && d.from != FromJSON {
			d.err, d.stopped = err, stopped
		} else {
			d.stopped = d.from == FromJSON // the outer decoder ends at it, as in stop
		}
	}()
	switch {
	case v.Kind() == document.Object:
		return d.value(d.schema, v, live)
	case other == "OrBool":
		if v.Kind() != document.Bool {
			d.stop(v, "boolean or JSON schema expected")
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
