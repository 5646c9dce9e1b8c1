package schema

import (
	"regexp"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// place is the location of a schema in a CRD as a linked list of steps. Schemas may be
// nested thousands of levels deep, so the path and its text are computed only for errors.
type place struct {
	above *place
	step  document.Step
	named bool // by the author of the CRD: properties[replicas]
	shown string
}

// shownAs returns the place with another text, which its children extend.
func (p place) shownAs(text string) place {
	p.shown = text
	return p
}

func (p place) child(name string) place {
	return place{above: &p, step: document.FieldStep(name)}
}

// key returns the place of a child that the author of the CRD named.
func (p place) key(name string) place {
	return place{above: &p, step: document.FieldStep(name), named: true}
}

func (p place) index(i int) place { return place{above: &p, step: document.IndexStep(i)} }

func (p place) path() document.Path {
	var path document.Path
	for at := &p; at.above != nil; at = at.above {
		path = append(path, at.step)
	}
	slices.Reverse(path)
	return path
}

// text returns the place as a field path for messages.
func (p place) text() string {
	var steps []string
	for at := &p; at.above != nil; at = at.above {
		if at.shown != "" {
			steps = append(steps, at.shown)
			break
		}
		switch name, ok := at.step.Name(); {
		case !ok:
			steps = append(steps, at.step.String())
		case at.named:
			steps = append(steps, "["+name+"]")
		case at.above.above == nil:
			steps = append(steps, name)
		default:
			steps = append(steps, "."+name)
		}
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}

// checker validates the schemas of a CRD: that they are structural (this file), and the
// API's rules for their keywords (crd_openapi.go).
type checker struct{ errs []FieldError }

// maxErrors bounds the number of errors reported for a CRD.
const maxErrors = 100

func (c *checker) add(t ErrorType, at place, bad document.Value, detail string) {
	if len(c.errs) < maxErrors {
		c.errs = append(c.errs, FieldError{Type: t, Path: at.path(), Field: at.text(), BadValue: bad, Detail: detail})
	}
}

func (c *checker) forbid(at place, detail string) {
	c.add(ErrorForbidden, at, document.Value{}, detail)
}

// level is the position of a schema relative to its parent.
type level uint8

const (
	rootLevel level = iota
	itemLevel
	fieldLevel
)

// unsupported returns the first keyword in a schema that structural schemas do not support,
// or "". kube-apiserver then skips the other rules for structural schemas.
func unsupported(s document.Value) string {
	if s.Kind() != document.Object {
		return ""
	}
	for _, name := range [...]string{"id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"} {
		if v := s.Get(name); isGiven(v) || name == "additionalItems" && v.Kind() == document.Object {
			return "'" + strings.Replace(name, "$schema", "schema", 1) + "' is not supported"
		}
	}
	if preserve, ok := s.Get("x-kubernetes-preserve-unknown-fields").Bool(); ok && !preserve {
		return "'x-kubernetes-preserve-unknown-fields' must be true or undefined"
	}
	if s.Get("items").Len() > 0 && s.Get("items").Kind() == document.List {
		return "'items' must be a schema, but is an array"
	}
	for _, name := range [...]string{"items", "additionalProperties", "not"} {
		if why := unsupported(s.Get(name)); why != "" {
			return why
		}
	}
	for _, name := range [...]string{"properties", "allOf", "anyOf", "oneOf"} {
		parts := s.Get(name)
		if k := parts.Kind(); k != document.Object && k != document.List {
			continue
		}
		for i := range parts.Len() {
			if why := unsupported(parts.At(i)); why != "" {
				return why
			}
		}
	}
	return ""
}

// isGiven reports whether a keyword has a value other than null, "", an empty list or an
// empty object.
func isGiven(v document.Value) bool {
	switch v.Kind() {
	case document.Absent, document.Null:
		return false
	case document.String:
		return v.StringOr("") != ""
	case document.List, document.Object:
		return v.Len() > 0
	}
	return true
}

// structural validates a schema and the subschemas that define structure
// (apiextensions-apiserver, ValidateStructural).
func (c *checker) structural(s document.Value, l level, at place) {
	if items := s.Get("items"); items.Kind() == document.Object {
		c.structural(items, itemLevel, at.child("items"))
	} else if s.Get("type").StringOr("") == "array" {
		c.add(ErrorRequired, at.child("items"), document.Value{}, "must be specified")
	}
	for name, p := range s.Get("properties").Members() {
		c.structural(p, fieldLevel, at.child("properties").key(name))
	}
	if more := s.Get("additionalProperties"); more.Exists() && !more.IsNull() {
		here := at.child("additionalProperties")
		if l == rootLevel {
			c.forbid(here, "must not be used at the root")
		}
		if flag(s, "x-kubernetes-embedded-resource") {
			c.forbid(here, "must not be used if x-kubernetes-embedded-resource is set")
		}
		if more.Kind() == document.Object {
			c.structural(more, fieldLevel, here)
		}
	}
	if flag(s, "x-kubernetes-int-or-string") {
		for _, name := range [...]string{"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"} {
			if flag(s, name) {
				c.add(ErrorInvalid, at.child(name), s.Get(name), "must be false if x-kubernetes-int-or-string is true")
			}
		}
	}
	c.values(s, at, isIntOrString(s.Get("anyOf")), firstIsIntOrString(s.Get("allOf")))
	c.meta(s, l, at.child("properties"))
	c.typeGiven(s, l, at)
}

func firstIsIntOrString(allOf document.Value) bool {
	return allOf.Len() > 0 && isIntOrString(allOf.At(0).Get("anyOf"))
}

func (c *checker) typeGiven(s document.Value, l level, at place) {
	typ, here := s.Get("type").StringOr(""), at.child("type")
	embedded := flag(s, "x-kubernetes-embedded-resource")
	switch {
	case embedded && typ == "":
		c.add(ErrorRequired, here, document.Value{}, "must be object if x-kubernetes-embedded-resource is true")
	case embedded && typ != "object":
		c.add(ErrorInvalid, here, s.Get("type"), "must be object if x-kubernetes-embedded-resource is true")
	case typ == "" && !flag(s, "x-kubernetes-int-or-string") && !flag(s, "x-kubernetes-preserve-unknown-fields"):
		where := map[level]string{rootLevel: "at the root", itemLevel: "for specified array items", fieldLevel: "for specified object fields"}[l]
		c.add(ErrorRequired, here, document.Value{}, "must not be empty "+where)
	}
	if l == rootLevel && typ != "" && typ != "object" {
		c.add(ErrorInvalid, here, s.Get("type"), "must be object at the root")
	}
}

// meta validates the schemas of apiVersion, kind and metadata, and that an embedded object
// has a schema.
func (c *checker) meta(s document.Value, l level, at place) {
	embedded := flag(s, "x-kubernetes-embedded-resource")
	props := s.Get("properties")
	if l == rootLevel || embedded {
		for _, want := range [...][2]string{{"apiVersion", "string"}, {"kind", "string"}, {"metadata", "object"}} {
			if p := props.Get(want[0]); p.Exists() && p.Get("type").StringOr("") != want[1] {
				c.add(ErrorInvalid, at.key(want[0]).child("type"), p.Get("type"), "must be "+want[1])
			}
		}
	}
	if embedded && !flag(s, "x-kubernetes-preserve-unknown-fields") && props.Len() == 0 {
		c.add(ErrorRequired, at, document.Value{}, "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields")
	}
	if metadata := props.Get("metadata"); l == rootLevel && !onlyNames(metadata) {
		c.forbid(at.key("metadata"), "must not specify anything other than name and generateName, but metadata is implicitly specified")
	}
}

// onlyNames reports whether the schema of metadata restricts only name and generateName.
func onlyNames(metadata document.Value) bool {
	for keyword, v := range metadata.Members() {
		b, isBool := v.Bool()
		switch {
		case keyword == "type" || keyword == "default" || !isGiven(v) || isBool && !b:
		case keyword != "properties":
			return false
		default:
			for name := range v.Members() {
				if name != "name" && name != "generateName" {
					return false
				}
			}
		}
	}
	return true
}

// values validates the value validations of a schema. skipAny and skipFirst omit an anyOf,
// or that of the first allOf, that repeats the types of int-or-string.
func (c *checker) values(s document.Value, at place, skipAny, skipFirst bool) {
	if p := s.Get("pattern").StringOr(""); p != "" {
		if _, err := regexp.Compile(p); err != nil {
			c.add(ErrorInvalid, at.child("pattern"), s.Get("pattern"), "must be a valid regular expression, but isn't: "+err.Error())
		}
	}
	for _, name := range [...]string{"anyOf", "allOf", "oneOf"} {
		if name == "anyOf" && skipAny {
			continue
		}
		for i, j := range s.Get(name).Items() {
			c.nested(j, at.child(name).index(i), skipFirst && name == "allOf" && i == 0)
		}
	}
	if not := s.Get("not"); not.Kind() == document.Object {
		c.nested(not, at.child("not"), false)
	}
}

// nested validates a schema below a logical junctor, which must not define structure.
func (c *checker) nested(s document.Value, at place, skipAny bool) {
	c.values(s, at, skipAny, false)
	for _, name := range [...]string{"type", "title", "description", "nullable", "default", "additionalProperties",
		"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
		"x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations"} {
		if v := s.Get(name); isForbidden(name, v) {
			c.forbid(at.child(name), "must be "+unsetForm(name)+" to be structural")
		}
	}
	if items := s.Get("items"); items.Kind() == document.Object {
		c.nested(items, at.child("items"), false)
	}
	for name, p := range s.Get("properties").Members() {
		here := at.child("properties").key(name)
		if name == "metadata" {
			c.forbid(here, "must not be specified in a nested context")
		}
		c.nested(p, here, false)
	}
}

// unsetForm returns the value that messages require of a keyword that must not be set.
func unsetForm(name string) string {
	switch {
	case strings.Contains(" type title description x-kubernetes-list-map-keys x-kubernetes-validations ", " "+name+" "):
		return "empty"
	case strings.Contains(" nullable x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-int-or-string ", " "+name+" "):
		return "false"
	}
	return "undefined"
}

// isForbidden reports whether a structural keyword is set. Some are pointers in Go, for
// which an empty value counts as set; false additionalProperties do not.
func isForbidden(name string, v document.Value) bool {
	if !v.Exists() || v.IsNull() {
		return false
	}
	switch name {
	case "default", "x-kubernetes-list-type", "x-kubernetes-map-type":
		return true
	case "additionalProperties":
		b, isBool := v.Bool()
		return b || !isBool
	case "nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string":
		b, _ := v.Bool()
		return b
	}
	return isGiven(v)
}

// complete validates that all fields used in the logical junctors of a root schema exist in
// its structure. v at vAt is a schema within the junctors, s at sAt the corresponding one
// in the structure.
func (c *checker) complete(v, s document.Value, vAt, sAt place) {
	for _, name := range []string{"anyOf", "allOf", "oneOf"} {
		for i, j := range v.Get(name).Items() {
			c.completeNested(j, s, vAt.child(name).index(i), sAt)
		}
	}
	if not := v.Get("not"); not.Kind() == document.Object {
		c.completeNested(not, s, vAt.child("not"), sAt)
	}
}

func (c *checker) completeNested(v, s document.Value, vAt, sAt place) {
	c.complete(v, s, vAt, sAt)
	if items := v.Get("items"); items.Kind() == document.Object {
		if below := s.Get("items"); below.Exists() {
			c.completeNested(items, below, vAt.child("items"), sAt.child("items"))
		} else {
			c.add(ErrorRequired, sAt.child("items"), document.Value{}, "because it is defined in "+vAt.child("items").text())
		}
	}
	for name, p := range v.Get("properties").Members() {
		here := vAt.child("properties").key(name)
		if below := s.Get("properties").Get(name); below.Exists() {
			c.completeNested(p, below, here, sAt.child("properties").key(name))
		} else {
			c.add(ErrorRequired, sAt.child("properties").key(name), document.Value{}, "because it is defined in "+here.text())
		}
	}
}
