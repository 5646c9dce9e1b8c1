package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// schemaScope is inherited by a schema from its parents.
type schemaScope struct {
	root bool
	// noDefaults is the reason why defaults are forbidden, "" if they are allowed.
	noDefaults string
	// inMeta is set in the schemas of apiVersion, kind and metadata.
	inMeta bool
}

// root validates the schema of a version like kube-apiserver's
// validateCustomResourceDefinitionValidation, except for defaults and expressions.
func (c *checker) root(s document.Value, at place, hasStatus bool) {
	if !c.keywords(s, at) {
		return
	}
	mark := len(c.errs)
	if hasStatus {
		c.rootWithStatus(s, at)
	}
	if flag(s, "nullable") {
		c.forbid(at.child("nullable"), "nullable cannot be true at the root")
	}
	why := unsupported(s)
	if why == "" {
		c.structural(s, rootLevel, at)
		c.complete(s, s, at, at)
	}
	c.keywordRules(s, at, schemaScope{root: true})
	if why != "" && len(c.errs) == mark {
		c.add(ErrorInvalid, at, document.NewString(""), "OpenAPIV3Schema "+why)
	}
}

// rootWithStatus validates that the root schema has only keywords that remain effective
// when the status is validated alone.
func (c *checker) rootWithStatus(s document.Value, at place) {
	if typ := s.Get("type"); isGiven(typ) && typ.StringOr("") != "object" {
		c.add(ErrorInvalid, at.child("type"), typ, `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)
		return
	}
	for name, v := range s.Members() {
		switch name {
		case "description", "type", "format", "title", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength",
			"pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "required", "items", "properties", "externalDocs", "example",
			"x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations":
			continue
		}
		b, isBool := v.Bool()
		if text, isText := v.Text(); v.IsNull() || isBool && !b && name != "additionalProperties" || isText && text == "" && name != "default" {
			continue
		}
		c.add(ErrorInvalid, at, s, "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems "+
			"UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema "+
			"if the status subresource is enabled")
		c.errs[len(c.errs)-1].Hint = name + " is none of them"
		return
	}
}

// keywords validates the types of all keywords in a schema and its subschemas. The API
// server refuses wrong types when it decodes the definition.
func (c *checker) keywords(s document.Value, at place) bool {
	if s.Kind() != document.Object {
		c.add(ErrorTypeInvalid, at, s, "a schema must be an object")
		return false
	}
	ok := true
	for name, v := range s.Members() {
		if want := keywordKind(name); want != document.Absent && v.Kind() != want && !v.IsNull() && (name != "items" || v.Kind() != document.List) {
			c.add(ErrorTypeInvalid, at.child(name), v, "must be a "+want.String()+", not a "+v.Kind().String())
			ok = false
			continue
		}
		switch here := at.child(name); name {
		case "items", "not":
			if v.Kind() == document.Object {
				ok = c.keywords(v, here) && ok
			}
		case "properties", "definitions":
			for key, p := range v.Members() {
				ok = c.keywords(p, here.key(key)) && ok
			}
		case "allOf", "anyOf", "oneOf":
			for i, j := range v.Items() {
				ok = c.keywords(j, here.index(i)) && ok
			}
		case "additionalProperties":
			if _, isBool := v.Bool(); !isBool && !v.IsNull() {
				ok = c.keywords(v, here) && ok
			}
		}
	}
	return ok
}

// keywordKind returns the required type of a keyword; Absent means any type.
func keywordKind(name string) document.Kind {
	switch name {
	case "type", "format", "pattern", "title", "description", "x-kubernetes-list-type", "x-kubernetes-map-type":
		return document.String
	case "nullable", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum", "x-kubernetes-embedded-resource",
		"x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields":
		return document.Bool
	case "minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return document.Number
	case "required", "enum", "allOf", "anyOf", "oneOf", "x-kubernetes-list-map-keys", "x-kubernetes-validations":
		return document.List
	case "properties", "not", "items":
		return document.Object
	}
	return document.Absent
}

// keywordRules validates the keywords of a schema and its subschemas
// (ValidateCustomResourceDefinitionOpenAPISchema).
func (c *checker) keywordRules(s document.Value, at place, in schemaScope) {
	c.standard(s, at, in)
	if flag(s, "uniqueItems") {
		c.forbid(at.child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
	}
	c.extensions(s, at)
	c.lists(s, at)
	c.validationRules(s, at)
	c.keywordsBelow(s, at, in)
}

// standard validates that the keywords of JSON Schema are allowed.
func (c *checker) standard(s document.Value, at place, in schemaScope) {
	switch typ := s.Get("type").StringOr(""); typ {
	case "", "object", "array", "string", "integer", "number", "boolean":
	default:
		c.add(ErrorNotSupported, at.child("type"), s.Get("type"), `supported values: "array", "boolean", "integer", "number", "object", "string"`)
		if typ == "null" {
			c.forbid(at.child("type"), "type cannot be set to null, use nullable as an alternative")
		}
	}
	if d := s.Get("default"); in.noDefaults != "" && d.Exists() && !d.IsNull() {
		c.forbid(at.child("default"), "must not be set "+in.noDefaults)
	}
	for _, name := range [...]string{"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"} {
		v := s.Get(name)
		if isGiven(v) || v.Exists() && !v.IsNull() && (name == "dependencies" || name == "$ref" || name == "additionalItems") {
			c.forbid(at.child(name), name+" is not supported")
		}
	}
	if items := s.Get("items"); items.Kind() == document.List && items.Len() > 0 {
		c.forbid(at.child("items"), "items must be a schema object and not an array")
	}
	if in.inMeta && flag(s, "x-kubernetes-embedded-resource") {
		c.forbid(at.child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta")
	}
}

// keywordsBelow validates the subschemas of a schema.
func (c *checker) keywordsBelow(s document.Value, at place, in schemaScope) {
	below := schemaScope{noDefaults: in.noDefaults, inMeta: in.inMeta}
	props := s.Get("properties")
	if more := s.Get("additionalProperties"); more.Exists() && !more.IsNull() {
		here, inner := at.child("additionalProperties"), below
		if allows, _ := more.Bool(); props.Len() > 0 && !allows {
			c.forbid(here, "additionalProperties and properties are mutual exclusive")
		}
		if in.inMeta {
			inner.noDefaults = "inside additionalProperties applying to object metadata"
		}
		c.keywordRulesAt(more, here, inner)
	}
	for name, p := range props.Members() {
		inner := below
		if (in.root || flag(s, "x-kubernetes-embedded-resource")) && (name == "metadata" || name == "kind" || name == "apiVersion") {
			inner.inMeta = true
			if in.root {
				inner.noDefaults = "in top-level " + name
			}
		}
		c.keywordRules(p, at.child("properties").key(name), inner)
	}
	for _, name := range [...]string{"allOf", "anyOf", "oneOf"} {
		for i, j := range s.Get(name).Items() {
			c.keywordRules(j, at.child(name).index(i), below)
		}
	}
	for name, d := range s.Get("definitions").Members() {
		c.keywordRulesAt(d, at.child("definitions").key(name), below)
	}
	for name, d := range s.Get("dependencies").Members() {
		c.keywordRulesAt(d, at.child("dependencies").key(name), below)
	}
	c.keywordRulesAt(s.Get("not"), at.child("not"), below)
	c.keywordRulesAt(s.Get("items"), at.child("items"), below)
}

func (c *checker) keywordRulesAt(s document.Value, at place, in schemaScope) {
	if s.Kind() == document.Object {
		c.keywordRules(s, at, in)
	}
}

// extensions validates the x-kubernetes keywords except those of lists.
func (c *checker) extensions(s document.Value, at place) {
	preserve := s.Get("x-kubernetes-preserve-unknown-fields")
	if p, ok := preserve.Bool(); ok && !p {
		c.add(ErrorInvalid, at.child("x-kubernetes-preserve-unknown-fields"), preserve, "must be true or undefined")
	}
	mapType, given := s.Get("x-kubernetes-map-type").Text()
	if !given {
		return
	}
	c.typeFor(s, at, "object", "must be object if x-kubernetes-map-type is specified")
	if mapType != "atomic" && mapType != "granular" {
		c.add(ErrorNotSupported, at.child("x-kubernetes-map-type"), s.Get("x-kubernetes-map-type"), `supported values: "atomic", "granular"`)
	}
}

// typeFor requires the type that a keyword depends on, and reports whether the schema has
// it.
func (c *checker) typeFor(s document.Value, at place, want, why string) bool {
	switch typ := s.Get("type"); typ.StringOr("") {
	case want:
		return true
	case "":
		c.add(ErrorRequired, at.child("type"), document.Value{}, why)
	default:
		c.add(ErrorInvalid, at.child("type"), typ, why)
	}
	return false
}

// lists validates x-kubernetes-list-type and x-kubernetes-list-map-keys.
func (c *checker) lists(s document.Value, at place) {
	items, keys := s.Get("items"), s.Get("x-kubernetes-list-map-keys")
	listType, given := s.Get("x-kubernetes-list-type").Text()
	here := at.child("x-kubernetes-list-type")
	if keys.Len() > 0 && !given {
		c.add(ErrorRequired, here, document.Value{}, "must be map if x-kubernetes-list-map-keys is non-empty")
	} else if keys.Len() > 0 && listType != "map" {
		c.add(ErrorInvalid, here, s.Get("x-kubernetes-list-type"), "must be map if x-kubernetes-list-map-keys is non-empty")
	}
	if !given {
		return
	}
	isArray := c.typeFor(s, at, "array", "must be array if x-kubernetes-list-type is specified")
	switch listType {
	case "atomic":
		return
	case "set":
		if isArray {
			c.setItems(items, at.child("items"))
		}
	case "map":
		c.mapItems(keys, items, at)
	default:
		c.add(ErrorNotSupported, here, s.Get("x-kubernetes-list-type"), `supported values: "atomic", "set", "map"`)
		return
	}
	if flag(items, "nullable") {
		c.forbid(at.child("items").child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+listType)
	}
}

func (c *checker) setItems(items document.Value, at place) {
	switch items.Get("type").StringOr("") {
	case "array":
		if items.Get("x-kubernetes-list-type").StringOr("atomic") != "atomic" {
			c.add(ErrorInvalid, at.child("x-kubernetes-list-type"), items.Get("x-kubernetes-list-type"), "must be atomic as item of a list with x-kubernetes-list-type=set")
		}
	case "object":
		if items.Get("x-kubernetes-map-type").StringOr("") != "atomic" {
			// kube-apiserver shows the list type here.
			shown := items.Get("x-kubernetes-list-type")
			if !shown.Exists() {
				shown = document.NewNull()
			}
			c.add(ErrorInvalid, at.child("x-kubernetes-map-type"), shown, "must be atomic as item of a list with x-kubernetes-list-type=set")
		}
	}
}

// mapItems validates the items and keys of a list of type map.
func (c *checker) mapItems(keys, items document.Value, at place) {
	here := at.child("x-kubernetes-list-map-keys")
	if keys.Len() == 0 {
		c.add(ErrorRequired, here, document.Value{}, "must not be empty if x-kubernetes-list-type is map")
	}
	switch {
	case !items.Exists() || items.IsNull():
		c.add(ErrorRequired, at.child("items"), document.Value{}, "must have a schema if x-kubernetes-list-type is map")
		return
	case items.Kind() != document.Object:
		c.add(ErrorInvalid, at.child("items"), items, "must only have a single schema if x-kubernetes-list-type is map")
		return
	}
	isObject := items.Get("type").StringOr("") == "object"
	if !isObject {
		c.add(ErrorInvalid, at.child("items").child("type"), document.NewString(items.Get("type").StringOr("")), "must be object if parent array's x-kubernetes-list-type is map")
	}
	required, seen := items.Get("required").Strings(), map[string]bool{}
	for _, k := range keys.Items() {
		name := k.StringOr("")
		p, pAt := items.Get("properties").Get(name), at.child("items").child("properties").key(name)
		if isObject {
			c.mapKey(p, pAt, keys, here)
			if seen[name] {
				c.add(ErrorInvalid, here, keys, "must not contain duplicate entries")
			}
			seen[name] = true
		}
		if d := p.Get("default"); p.Exists() && !slices.Contains(required, name) && (!d.Exists() || d.IsNull()) {
			c.add(ErrorRequired, pAt.child("default"), document.Value{}, "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property")
		}
		if flag(p, "nullable") {
			c.forbid(pAt.child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable")
		}
	}
}

func (c *checker) mapKey(p document.Value, at place, keys document.Value, keysAt place) {
	if !p.Exists() {
		c.add(ErrorInvalid, keysAt, keys, "entries must all be names of item properties")
		return
	}
	if typ := p.Get("type").StringOr(""); typ == "array" || typ == "object" {
		c.add(ErrorInvalid, at.child("type"), document.NewString("object"), "must be a scalar type if parent array's x-kubernetes-list-type is map")
	}
}

// validationRules validates the members of x-kubernetes-validations except for the syntax
// of expressions.
func (c *checker) validationRules(s document.Value, at place) {
	for i, r := range s.Get("x-kubernetes-validations").Items() {
		here := at.child("x-kubernetes-validations").index(i)
		rule, message := r.Get("rule").StringOr(""), r.Get("message").StringOr("")
		lines := func(text string) bool { return strings.ContainsAny(strings.TrimSpace(text), "\r\n") }
		blank := func(text string) bool { return text != "" && strings.TrimSpace(text) == "" }
		switch {
		case strings.TrimSpace(rule) == "":
			c.add(ErrorRequired, here.child("rule"), document.Value{}, "rule is not specified")
		case blank(message):
			c.add(ErrorInvalid, here.child("message"), r.Get("message"), "must be non-empty if specified")
		case lines(message):
			c.add(ErrorInvalid, here.child("message"), r.Get("message"), "must not contain line breaks")
		case lines(rule) && message == "":
			c.add(ErrorRequired, here.child("message"), document.Value{}, "message must be specified if rule contains line breaks")
		}
		if blank(r.Get("messageExpression").StringOr("")) {
			c.add(ErrorRequired, here.child("messageExpression"), document.Value{}, "messageExpression must be non-empty if specified")
		}
		switch reason, given := r.Get("reason").Text(); {
		case !given, reason == string(ErrorRequired), reason == string(ErrorForbidden), reason == string(ErrorInvalid), reason == string(ErrorDuplicate):
		default:
			before := len(c.errs)
			c.add(ErrorNotSupported, here.child("reason"), r.Get("reason"), `supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`)
			for i := range c.errs[before:] {
				c.errs[before+i].JSONText = true
			}
		}
		c.rulePath(r.Get("fieldPath"), s, here.child("fieldPath"))
	}
}

// rulePath validates the fieldPath of a rule.
func (c *checker) rulePath(path, s document.Value, at place) {
	text := path.StringOr("")
	if text == "" {
		return
	}
	if strings.TrimSpace(text) == "" {
		c.add(ErrorInvalid, at, path, "must be non-empty if specified")
	}
	if strings.ContainsAny(text, "\r\n") {
		c.add(ErrorInvalid, at, path, "must not contain line breaks")
	}
	if unsupported(s) != "" {
		return
	}
	if _, _, err := followFieldPath(text, s, true); err != nil {
		c.add(ErrorInvalid, at, path, "must be a valid path")
	}
}

// followFieldPath resolves a JSON path of fields (.spec.replicas, or with indexed also
// ['spec']['replicas']) in a schema. It returns the fields and the schema of the last one.
func followFieldPath(path string, s document.Value, indexed bool) (fields []string, found document.Value, err error) {
	errEnd := errors.New("unexpected end of JSON path")
	for path != "" {
		var token, name string
		token, path = pathToken(path)
		switch {
		case token != "." && token != "[":
			return nil, s, errors.New("expected [ or . but got: " + token)
		case token == "[" && !indexed:
			return nil, s, errors.New("array notation is not allowed")
		case path == "":
			return nil, s, errEnd
		case token == ".":
			name, path = pathToken(path)
		default:
			var quoted, end string
			quoted, path = pathToken(path)
			if path == "" {
				return nil, s, errEnd
			}
			if end, path = pathToken(path); end != "]" {
				return nil, s, errors.New("expected ] but got " + end)
			}
			if name, err = unquoted(quoted); err != nil {
				return nil, s, err
			}
		}
		if props := s.Get("properties"); props.Len() > 0 {
			s = props.Get(name)
		} else {
			s = s.Get("additionalProperties") // true and false are accepted as the last schema
		}
		if !s.Exists() || s.IsNull() {
			return nil, s, errors.New("does not refer to a valid field")
		}
		fields = append(fields, name)
	}
	return fields, s, nil
}

// pathToken splits the first token off a JSON path that is not empty: a delimiter, a text in
// single quotes, or what comes before the next delimiter.
func pathToken(path string) (token, rest string) {
	end := strings.IndexAny(path, ".[]")
	if path[0] == '\'' {
		for end = 1; end < len(path) && (path[end] != '\'' || path[end-1] == '\\'); {
			end++
		}
		end++
	}
	if end < 0 || end > len(path) {
		end = len(path)
	}
	end = max(end, 1)
	return path[:end], path[end:]
}

// unquoted returns the text that a token of a JSON path has between single quotes.
func unquoted(token string) (string, error) {
	if len(token) < 2 || token[0] != '\'' || token[len(token)-1] != '\'' {
		return "", errors.New("expected single quoted string but got " + token)
	}
	token = token[1 : len(token)-1]
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '\\' || i+1 == len(token) {
			b.WriteByte(token[i])
			continue
		}
		i++
		at := strings.IndexByte(`abfnrtv'\`, token[i])
		if at < 0 {
			return "", errors.New(`invalid string literal: invalid escape char \` + token[i:i+1])
		}
		b.WriteByte("\a\b\f\n\r\t\v'\\"[at])
	}
	return b.String(), nil
}
