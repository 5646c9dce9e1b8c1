package kinds

import (
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// warnFormats warns about each format of a CustomResourceDefinition's schemas that the API
// server ignores and that the live definition, if any, does not have. kube-apiserver lists them
// in random order; here they are sorted. Before Kubernetes 1.34, there is no warning.
func warnFormats(a *advice, object, old field) {
	if !a.check.kind.Since("1.34") {
		return
	}
	textOnly := !a.check.kind.Since("1.36")
	had := unknownFormats(old.Value, textOnly)
	for _, format := range unknownFormats(object.Value, textOnly) {
		if !slices.Contains(had, format) {
			a.say(fmt.Sprintf("unrecognized format %q", format))
		}
	}
}

// unknownFormats returns the unrecognized formats of a definition, sorted; with textOnly only those
// of strings, about which alone API servers before Kubernetes 1.36 warn.
func unknownFormats(definition document.Value, textOnly bool) []string {
	var out []string
	for _, version := range definition.Lookup("spec", "versions").Items() {
		out = appendUnknownFormats(out, version.Lookup("schema", "openAPIV3Schema"), textOnly)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// appendUnknownFormats appends the unrecognized formats of a schema and of the schemas in it.
func appendUnknownFormats(out []string, s document.Value, textOnly bool) []string {
	if s.Kind() != document.Object {
		return out
	}
	kind, format := s.Get("type").StringOr(""), s.Get("format").StringOr("")
	if format != "" && (kind == "string" || !textOnly) && !knownFormat(kind, format) {
		out = append(out, format)
	}
	for _, name := range [...]string{"properties", "patternProperties", "definitions", "dependencies"} {
		for _, member := range s.Get(name).Members() {
			out = appendUnknownFormats(out, member, textOnly)
		}
	}
	for _, name := range [...]string{"items", "allOf", "anyOf", "oneOf"} {
		for _, item := range s.Get(name).Items() {
			out = appendUnknownFormats(out, item, textOnly)
		}
	}
	for _, name := range [...]string{"items", "not", "additionalProperties", "additionalItems"} {
		out = appendUnknownFormats(out, s.Get(name), textOnly)
	}
	return out
}

// knownFormat reports whether the API server validates a format of values of a type.
func knownFormat(kind, format string) bool {
	var s schema.Scalar
	switch kind {
	case "", "string":
		s = schema.StringScalar
	case "integer":
		s = schema.IntegerScalar
	case "number":
		s = schema.NumberScalar
	}
	return structural.SupportedFormat(nil, s, format) != ""
}
