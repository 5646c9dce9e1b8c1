package server

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/server/internal/definitions"
)

// kindsKey is the extension that lists the kinds whose objects have a schema.
const kindsKey = "x-kubernetes-group-version-kind"

// refPrefix is the prefix of a reference in the published schemas.
const refPrefix = "#/components/schemas/"

// published returns a reference to the schema that Kubernetes publishes for a built-in type.
// It adds the schema, and those that it refers to, on first use.
func (d *describer) published(name string) document.Value {
	if !d.seen[name] {
		d.seen[name] = true
		d.schemas.Set(name, d.adapted(d.ownKinds(definitions.Schema(d.version, name))))
	}
	return d.reference(name)
}

// ownKinds removes the kinds of other groups from the schema of a type that all groups
// share, such as DeleteOptions. The document of a group version lists the kind of its own
// and of the core group, that of custom resources the kinds of the groups that client-go has.
// Before Kubernetes 1.36, all documents list all groups.
func (d *describer) ownKinds(s document.Value) document.Value {
	kinds := s.Get(kindsKey)
	if kinds.Len() < 2 || d.of.version == "" || d.version < "1.36" {
		return s
	}
	var own document.ListBuilder
	for _, k := range kinds.Items() {
		group := k.Get("group").StringOr("")
		listed := group == "" || group == d.of.group && k.Get("version").StringOr("") == d.of.version
		if d.of.custom() {
			listed = !slices.Contains([]string{"admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "imagepolicy.k8s.io"}, group)
		}
		if listed {
			own.Append(k)
		}
	}
	return s.With(kindsKey, own.List())
}

// adapted returns a published schema in the form of the document's OpenAPI version, and adds
// the schemas that it refers to.
func (d *describer) adapted(s document.Value) document.Value {
	if s.Kind() != document.Object {
		return s // additionalProperties may be a boolean
	}
	if d.v2 {
		s = inV2(s)
	}
	return remake.Members(s, func(i int, member document.Value) document.Value {
		switch s.Key(i) {
		case "$ref":
			name := strings.TrimPrefix(member.StringOr(""), refPrefix)
			return d.published(name).Get("$ref")
		case "items", "additionalProperties":
			return d.adapted(member)
		case "allOf":
			return remake.Items(member, func(_ int, part document.Value) document.Value { return d.adapted(part) })
		case "properties":
			return remake.Members(member, func(_ int, property document.Value) document.Value { return d.adapted(property) })
		}
		return member
	})
}

// inV2 returns a published schema without what OpenAPI v2 cannot express, as
// kube-apiserver does: a reference stands beside other attributes instead of in allOf,
// defaults are left out, and a type with alternatives is a string.
func inV2(s document.Value) document.Value {
	if all := s.Get("allOf"); all.Exists() {
		s = s.Without("allOf").With("$ref", all.At(0).Get("$ref"))
	}
	if s.Get("oneOf").Exists() {
		s = s.Without("oneOf").With("type", text("string"))
	}
	return s.Without("default")
}
