package server

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server/internal/definitions"
)

// The extensions of schemas in CRDs that change how a schema is published.
const (
	keepsUnknown  = "x-kubernetes-preserve-unknown-fields"
	isEmbedded    = "x-kubernetes-embedded-resource"
	isIntOrString = "x-kubernetes-int-or-string"
)

// customSchema returns the schema of the objects of a custom kind: that of the CRD, with the
// fields that all objects have. A kind that does not come from a CRD in the cluster is
// described by its type.
func (d *describer) customSchema(k *schema.Kind) document.Value {
	out := d.written(k)
	switch {
	case !out.Exists():
		out = d.inline(k.Type())
	case d.v2 && has(out, keepsUnknown):
		// Properties would make kubectl refuse all other fields.
		return withSelectable(k, object("type", text("object"), kindsKey, kindList(k.Group, k.Version, k.Kind)))
	default:
		out = d.structural(out)
	}
	typeMeta := definitions.Schema(d.version, metaPackage+"APIGroup").Get("properties")
	properties := out.Get("properties").
		With("apiVersion", typeMeta.Get("apiVersion")).
		With("kind", typeMeta.Get("kind")).
		With("metadata", d.metadata(objectMetaName, metadataText))
	out = out.With("type", text("object")).With("properties", properties)
	return withSelectable(k, out).With(kindsKey, kindList(k.Group, k.Version, k.Kind))
}

// The descriptions that the API server adds to the fields of custom resources.
const (
	conventions    = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
	metadataText   = "Standard object's metadata. More info: " + conventions + "#metadata"
	listMetaText   = "Standard list metadata. More info: " + conventions + "#types-kinds"
	apiVersionText = "apiVersion defines the versioned schema of this representation of an object. More info: " + conventions + "#resources"
	kindText       = "kind is a string value representing the type of this object. In CamelCase. More info: " + conventions + "#types-kinds"
)

// customList returns the schema of the list of a custom kind whose schema has the given name.
func (d *describer) customList(k *schema.Kind, name string) document.Value {
	typeMeta := definitions.Schema(d.version, metaPackage+"APIGroup").Get("properties")
	return withSelectable(k, object(
		"description", text(k.ListKind+" is a list of "+k.Kind),
		"type", text("object"),
		"required", document.NewStrings("items"),
		"properties", object(
			"apiVersion", typeMeta.Get("apiVersion"),
			"kind", typeMeta.Get("kind"),
			"metadata", d.metadata(listMetaName, listMetaText),
			"items", object("description", text("List of "+k.Resource+". More info: "+conventions), "type", text("array"), "items", d.reference(name)),
		),
		kindsKey, kindList(k.Group, k.Version, k.ListKind),
	))
}

// withSelectable adds the selectable fields of a custom kind to its schema or that of its list.
func withSelectable(k *schema.Kind, s document.Value) document.Value {
	if len(k.Selectable) == 0 {
		return s
	}
	var fields document.ListBuilder
	for _, path := range k.Selectable {
		fields.Append(object("fieldPath", text(strings.TrimPrefix(path, "."))))
	}
	return s.With("x-kubernetes-selectable-fields", fields.List())
}

// metadata returns a reference to the type of a metadata field, with a description. In
// OpenAPI v3 the reference is wrapped in allOf, because attributes beside it are ignored.
func (d *describer) metadata(name, description string) document.Value {
	out := d.published(name)
	if !d.v2 {
		out = object("allOf", document.NewList(out))
	}
	return out.With("description", text(description))
}

// has reports whether an extension of a schema is true.
func has(s document.Value, extension string) bool {
	value, _ := s.Get(extension).Bool()
	return value
}

// structural returns a schema of a CRD as the API server publishes it.
func (d *describer) structural(s document.Value) document.Value {
	if s.Kind() != document.Object {
		return s // additionalProperties may be a boolean
	}
	if d.v2 {
		s = structuralInV2(s)
	} else if has(s, isIntOrString) {
		s = withTypes(s)
	}
	s = remake.Members(s, func(i int, member document.Value) document.Value {
		switch s.Key(i) {
		case "items", "additionalProperties":
			return d.structural(member)
		case "properties":
			return remake.Members(member, func(_ int, property document.Value) document.Value { return d.structural(property) })
		}
		return member
	})
	if has(s, isEmbedded) && !(d.v2 && has(s, keepsUnknown)) {
		return d.embedded(s)
	}
	return s
}

// withTypes adds the two types of an int-or-string to its schema, unless its anyOf or the first of its allOf has
// them: as anyOf or, beside another anyOf, as the first of allOf.
func withTypes(s document.Value) document.Value {
	types, anyOf, allOf := integerOrString(), s.Get("anyOf"), s.Get("allOf")
	switch {
	case document.Equal(anyOf, types) || allOf.Len() > 0 && document.Equal(allOf.At(0).Get("anyOf"), types):
		return s
	case !anyOf.Exists():
		return s.With("anyOf", types)
	}
	all := []document.Value{object("anyOf", types)}
	for _, v := range allOf.Items() {
		all = append(all, v)
	}
	return s.With("allOf", document.NewList(all...))
}

// integerOrString returns the anyOf of an int-or-string.
func integerOrString() document.Value {
	return document.NewList(object("type", text("integer")), object("type", text("string")))
}

// embedded adds the fields that all objects have to the schema of an embedded object.
func (d *describer) embedded(s document.Value) document.Value {
	properties := s.Get("properties")
	if !properties.Exists() {
		properties = document.NewObject()
	}
	var required []string
	for _, name := range s.Get("required").Items() {
		required = append(required, name.StringOr(""))
	}
	for _, name := range []string{"kind", "apiVersion"} {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	return s.With("required", document.NewStrings(required...)).With("properties", properties.
		With("apiVersion", object("type", text("string"), "description", text(apiVersionText))).
		With("kind", object("type", text("string"), "description", text(kindText))).
		With("metadata", d.metadata(objectMetaName, metadataText)))
}

// structuralInV2 returns a schema of a CRD without what OpenAPI v2 cannot express, or what
// kubectl, which validates objects with it, understands in another way: it refuses null where
// a type is declared, and undeclared fields where any are declared.
func structuralInV2(s document.Value) document.Value {
	for _, key := range []string{"allOf", "anyOf", "oneOf", "not", "default"} {
		s = s.Without(key)
	}
	if has(s, "nullable") {
		s = s.Without("nullable").Without("type").Without("items").Without("properties")
	}
	if has(s, keepsUnknown) {
		s = s.Without("items").Without("properties")
		if s.Get("type").StringOr("") == "object" {
			s = s.Without("type")
		}
	}
	if s.Get("type").StringOr("") == "array" && !s.Get("items").Exists() {
		s = s.Without("type")
	}
	if has(s.Get("additionalProperties"), "nullable") {
		return s.Without("required")
	}
	var required []string
	for _, name := range s.Get("required").Items() {
		if !has(s.Get("properties").Get(name.StringOr("")), "nullable") {
			required = append(required, name.StringOr(""))
		}
	}
	if len(required) == 0 {
		return s.Without("required")
	}
	return s.With("required", document.NewStrings(required...))
}
