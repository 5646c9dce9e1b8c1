package schema

import (
	"regexp"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// place is where in a CRD a schema stands, told by the steps that lead there. A
// path and a text are made of them only for what is wrong: schemas may be nested
// thousands deep.
type place struct {
	above *place
	step  document.Step
	named bool // by the author of the CRD: properties[replicas]
}

func (p place) child(name string) place {
	return place{above: &p, step: document.FieldStep(name)}
}

// key is a child named by the author of the CRD.
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

// text writes the place as messages do.
func (p place) text() string {
	var steps []string
	for at := &p; at.above != nil; at = at.above {
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

// checker checks that the schemas of a CRD are structural
// (apiextensions-apiserver, ValidateStructural and the API validation around it).
type checker struct{ errs []FieldError }

// maxErrors bounds what is told about one CRD.
const maxErrors = 100

func (c *checker) add(t ErrorType, at place, bad document.Value, detail string) {
	if len(c.errs) < maxErrors {
		c.errs = append(c.errs, FieldError{Type: t, Path: at.path(), Field: at.text(), BadValue: bad, Detail: detail})
	}
}

func (c *checker) forbid(at place, detail string) {
	c.add(ErrorForbidden, at, document.Value{}, detail)
}

// level is where a schema stands in another.
type level uint8

const (
	rootLevel level = iota
	itemLevel
	fieldLevel
)

// root checks the schema of a version.
func (c *checker) root(s document.Value, at place) {
	if s.Kind() != document.Object {
		c.add(ErrorTypeInvalid, at, s, "a schema must be an object")
		return
	}
	if flag(s, "nullable") {
		c.forbid(at.child("nullable"), "nullable cannot be true at the root")
	}
	c.structural(s, rootLevel, false, at)
	c.complete(s, s, at, at)
}

// structural checks a schema and those below it that give structure. inMeta says
// that it stands in that of an object's metadata.
func (c *checker) structural(s document.Value, l level, inMeta bool, at place) {
	if s.Kind() != document.Object {
		c.add(ErrorTypeInvalid, at, s, "a schema must be an object")
		return
	}
	if !c.keywords(s, at) {
		return
	}
	embedded := flag(s, "x-kubernetes-embedded-resource")
	if inMeta && embedded {
		c.forbid(at.child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta")
	}
	c.typeGiven(s, l, at)
	c.objects(s, l, at)
	c.lists(s, at)
	c.extensions(s, at)
	c.values(s, at, flag(s, "x-kubernetes-int-or-string"))
	if items := s.Get("items"); items.Exists() {
		c.structural(items, itemLevel, inMeta, at.child("items"))
	}
	for name, p := range s.Get("properties").Members() {
		meta := inMeta || (l == rootLevel || embedded) && (name == "metadata" || name == "kind" || name == "apiVersion")
		c.structural(p, fieldLevel, meta, at.child("properties").key(name))
	}
	if more := s.Get("additionalProperties"); more.Kind() == document.Object {
		if inMeta && more.Get("default").Exists() {
			c.forbid(at.child("additionalProperties").child("default"), "must not be set inside additionalProperties applying to object metadata")
		}
		c.structural(more, fieldLevel, inMeta, at.child("additionalProperties"))
	}
}

// keywords checks that the members of a schema are of the kinds that they have
// to be, and of those supported.
func (c *checker) keywords(s document.Value, at place) bool {
	ok := true
	for name, v := range s.Members() {
		want := document.Absent
		switch name {
		case "id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions":
			c.forbid(at.child(name), name+" is not supported")
			ok = false
		case "type", "format", "pattern", "title", "description", "x-kubernetes-list-type", "x-kubernetes-map-type":
			want = document.String
		case "nullable", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum", "x-kubernetes-embedded-resource",
			"x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields":
			want = document.Bool
		case "minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
			want = document.Number
		case "required", "enum", "allOf", "anyOf", "oneOf", "x-kubernetes-list-map-keys", "x-kubernetes-validations":
			want = document.List
		case "properties", "not", "items":
			want = document.Object
		}
		if want != document.Absent && v.Kind() != want && !v.IsNull() {
			c.add(ErrorTypeInvalid, at.child(name), v, "must be a "+want.String()+", not a "+v.Kind().String())
			ok = false
		}
	}
	return ok
}

func (c *checker) typeGiven(s document.Value, l level, at place) {
	typ := s.Get("type").StringOr("")
	embedded := flag(s, "x-kubernetes-embedded-resource")
	switch typ {
	case "object", "array", "string", "integer", "number", "boolean":
	case "":
		if flag(s, "x-kubernetes-int-or-string") || flag(s, "x-kubernetes-preserve-unknown-fields") && !embedded {
			return
		}
		where := map[level]string{rootLevel: "at the root", itemLevel: "for specified array items", fieldLevel: "for specified object fields"}[l]
		c.add(ErrorRequired, at.child("type"), document.Value{}, "must not be empty "+where)
		return
	default:
		c.add(ErrorNotSupported, at.child("type"), s.Get("type"), `supported values: "array", "boolean", "integer", "number", "object", "string"`)
		return
	}
	if l == rootLevel && typ != "object" {
		c.add(ErrorInvalid, at.child("type"), s.Get("type"), "must be object at the root")
	}
	if embedded && typ != "object" {
		c.add(ErrorInvalid, at.child("type"), s.Get("type"), "must be object if x-kubernetes-embedded-resource is true")
	}
}

// objects checks what a schema says of members.
func (c *checker) objects(s document.Value, l level, at place) {
	more, props := s.Get("additionalProperties"), s.Get("properties")
	embedded := flag(s, "x-kubernetes-embedded-resource")
	if more.Exists() && !more.IsNull() {
		here := at.child("additionalProperties")
		allows, isBool := more.Bool()
		switch {
		case l == rootLevel:
			c.forbid(here, "must not be used at the root")
		case embedded:
			c.forbid(here, "must not be used if x-kubernetes-embedded-resource is set")
		case props.Len() > 0 && !(isBool && allows):
			c.forbid(here, "additionalProperties and properties are mutual exclusive")
		case !isBool && more.Kind() != document.Object:
			c.add(ErrorTypeInvalid, here, more, "must be a schema or a boolean")
		}
	}
	if l == rootLevel || embedded {
		c.meta(props, l, at.child("properties"))
	}
	if embedded && !flag(s, "x-kubernetes-preserve-unknown-fields") && props.Len() == 0 {
		c.add(ErrorRequired, at.child("properties"), document.Value{}, "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields")
	}
}

// meta checks the schemas of apiVersion, kind and metadata.
func (c *checker) meta(props document.Value, l level, at place) {
	for _, want := range [][2]string{{"apiVersion", "string"}, {"kind", "string"}, {"metadata", "object"}} {
		p := props.Get(want[0])
		if p.Exists() && p.Get("type").StringOr("") != want[1] {
			c.add(ErrorInvalid, at.key(want[0]).child("type"), p.Get("type"), "must be "+want[1])
		}
		if l == rootLevel && p.Get("default").Exists() {
			c.forbid(at.key(want[0]).child("default"), "must not be set in top-level "+want[0])
		}
	}
	if l != rootLevel {
		return
	}
	metadata := props.Get("metadata")
	for name := range metadata.Members() {
		if name != "type" && name != "properties" && name != "description" && name != "default" {
			c.forbid(at.key("metadata"), "must not specify anything other than name and generateName, but metadata is implicitly specified")
		}
	}
	for name := range metadata.Get("properties").Members() {
		if name != "name" && name != "generateName" {
			c.forbid(at.key("metadata"), "must not specify anything other than name and generateName, but metadata is implicitly specified")
		}
	}
}

// extensions checks Kubernetes' own keywords but those for lists.
func (c *checker) extensions(s document.Value, at place) {
	preserve := s.Get("x-kubernetes-preserve-unknown-fields")
	if p, ok := preserve.Bool(); ok && !p {
		c.add(ErrorInvalid, at.child("x-kubernetes-preserve-unknown-fields"), preserve, "must be true or undefined")
	}
	if flag(s, "x-kubernetes-int-or-string") {
		for _, name := range []string{"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"} {
			if flag(s, name) {
				c.add(ErrorInvalid, at.child(name), s.Get(name), "must be false if x-kubernetes-int-or-string is true")
			}
		}
	}
	if mapType, ok := s.Get("x-kubernetes-map-type").Text(); ok {
		if typ := s.Get("type").StringOr(""); typ != "object" {
			c.add(ErrorInvalid, at.child("type"), document.NewString(typ), "must be object if x-kubernetes-map-type is specified")
		}
		if mapType != "atomic" && mapType != "granular" {
			c.add(ErrorNotSupported, at.child("x-kubernetes-map-type"), s.Get("x-kubernetes-map-type"), `supported values: "atomic", "granular"`)
		}
	}
	for i, r := range s.Get("x-kubernetes-validations").Items() {
		if r.Get("rule").StringOr("") == "" {
			c.add(ErrorRequired, at.child("x-kubernetes-validations").index(i).child("rule"), document.Value{}, "rule is not specified")
		}
	}
}

// lists checks what a schema says of items.
func (c *checker) lists(s document.Value, at place) {
	items, typ := s.Get("items"), s.Get("type").StringOr("")
	if typ == "array" && !items.Exists() {
		c.add(ErrorRequired, at.child("items"), document.Value{}, "must be specified")
	}
	listType, given := s.Get("x-kubernetes-list-type").Text()
	keys := s.Get("x-kubernetes-list-map-keys")
	if keys.Len() > 0 && listType != "map" {
		c.add(ErrorInvalid, at.child("x-kubernetes-list-type"), s.Get("x-kubernetes-list-type"), "must be map if x-kubernetes-list-map-keys is non-empty")
	}
	if !given {
		return
	}
	if typ != "array" {
		c.add(ErrorInvalid, at.child("type"), s.Get("type"), "must be array if x-kubernetes-list-type is specified")
		return
	}
	itemsAt := at.child("items")
	switch listType {
	case "atomic":
		return
	case "set":
		c.setItems(items, itemsAt)
	case "map":
		c.mapKeys(keys, items, at)
	default:
		c.add(ErrorNotSupported, at.child("x-kubernetes-list-type"), s.Get("x-kubernetes-list-type"), `supported values: "atomic", "map", "set"`)
		return
	}
	if flag(items, "nullable") {
		c.forbid(itemsAt.child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+listType)
	}
}

func (c *checker) setItems(items document.Value, at place) {
	listType := items.Get("x-kubernetes-list-type").StringOr("atomic")
	switch items.Get("type").StringOr("") {
	case "array":
		if listType != "atomic" {
			c.add(ErrorInvalid, at.child("x-kubernetes-list-type"), items.Get("x-kubernetes-list-type"), "must be atomic as item of a list with x-kubernetes-list-type=set")
		}
	case "object":
		if items.Get("x-kubernetes-map-type").StringOr("") != "atomic" {
			c.add(ErrorInvalid, at.child("x-kubernetes-map-type"), items.Get("x-kubernetes-map-type"), "must be atomic as item of a list with x-kubernetes-list-type=set")
		}
	}
}

func (c *checker) mapKeys(keys, items document.Value, at place) {
	here := at.child("x-kubernetes-list-map-keys")
	if keys.Len() == 0 {
		c.add(ErrorRequired, here, document.Value{}, "must not be empty if x-kubernetes-list-type is map")
	}
	if items.Get("type").StringOr("") != "object" {
		c.add(ErrorInvalid, at.child("items").child("type"), items.Get("type"), "must be object if parent array's x-kubernetes-list-type is map")
		return
	}
	required := texts(items.Get("required"))
	seen := map[string]bool{}
	for _, k := range keys.Items() {
		name := k.StringOr("")
		p, pAt := items.Get("properties").Get(name), at.child("items").child("properties").key(name)
		if seen[name] {
			c.add(ErrorInvalid, here, keys, "must not contain duplicate entries")
		}
		seen[name] = true
		if !p.Exists() {
			c.add(ErrorInvalid, here, keys, "entries must all be names of item properties")
			continue
		}
		if typ := p.Get("type").StringOr(""); typ == "array" || typ == "object" {
			c.add(ErrorInvalid, pAt.child("type"), p.Get("type"), "must be a scalar type if parent array's x-kubernetes-list-type is map")
		}
		if d := p.Get("default"); !slices.Contains(required, name) && (!d.Exists() || d.IsNull()) {
			c.add(ErrorRequired, pAt.child("default"), document.Value{}, "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property")
		}
		if flag(p, "nullable") {
			c.forbid(pAt.child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable")
		}
	}
}

// values checks what validates only. intOrString allows the types in an anyOf
// that say integer or string once more.
func (c *checker) values(s document.Value, at place, intOrString bool) {
	if flag(s, "uniqueItems") {
		c.forbid(at.child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
	}
	if p := s.Get("pattern").StringOr(""); p != "" {
		if _, err := regexp.Compile(p); err != nil {
			c.add(ErrorInvalid, at.child("pattern"), s.Get("pattern"), "must be a valid regular expression, but isn't: "+err.Error())
		}
	}
	for _, name := range []string{"anyOf", "allOf", "oneOf"} {
		if name == "anyOf" && intOrString && isIntOrString(s.Get(name)) {
			continue
		}
		for i, j := range s.Get(name).Items() {
			c.nested(j, at.child(name).index(i), intOrString && name == "allOf" && i == 0)
		}
	}
	if not := s.Get("not"); not.Exists() && !not.IsNull() {
		c.nested(not, at.child("not"), false)
	}
}

// nested checks a schema below a junctor, which must not give structure.
func (c *checker) nested(s document.Value, at place, intOrString bool) {
	if s.Kind() != document.Object {
		c.add(ErrorTypeInvalid, at, s, "a schema must be an object")
		return
	}
	if !c.keywords(s, at) {
		return
	}
	for name, v := range s.Members() {
		switch name {
		case "type", "title", "description", "nullable", "default", "additionalProperties", "x-kubernetes-preserve-unknown-fields",
			"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
			"x-kubernetes-map-type", "x-kubernetes-validations":
			if b, isBool := v.Bool(); v.IsNull() || isBool && !b && name != "x-kubernetes-preserve-unknown-fields" {
				continue
			}
			c.forbid(at.child(name), "must be undefined to be structural")
		}
	}
	c.values(s, at, intOrString)
	if items := s.Get("items"); items.Exists() {
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

// complete checks that what the junctors of a root schema validate is there in
// its structure. v stands at vAt among the junctors, s at sAt in the structure.
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
