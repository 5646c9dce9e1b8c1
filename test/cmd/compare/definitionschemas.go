package main

import "encoding/json"

// root generates the schema of an object.
func (g *definer) root(scale bool) map[string]any {
	spec := g.object(3)
	if scale {
		properties, _ := spec["properties"].(map[string]any)
		if properties == nil {
			properties = map[string]any{}
			spec = map[string]any{"type": "object", "properties": properties}
		}
		properties["replicas"] = map[string]any{"type": "integer"}
	}
	root := map[string]any{"type": "object", "properties": map[string]any{
		"spec": spec,
		"status": map[string]any{"type": "object", "properties": map[string]any{
			"replicas": map[string]any{"type": "integer"}, "selector": map[string]any{"type": "string"}, "a": g.schema(1),
		}},
	}}
	if g.chance(8) {
		root["required"] = []any{"spec"}
	}
	if g.chance(10) {
		root["x-kubernetes-preserve-unknown-fields"] = true
	}
	return root
}

// altered returns a copy of a schema with one part of another kind, as an update of a definition or another version has it.
func (g *definer) altered(root map[string]any) map[string]any {
	root = deepCopy(root).(map[string]any)
	properties := root["properties"].(map[string]any)
	spec := properties["spec"].(map[string]any)
	inner, _ := spec["properties"].(map[string]any)
	if inner == nil {
		properties["spec"] = g.object(2)
		return root
	}
	name := pick(&g.mutator, fieldNames)
	switch {
	case g.chance(4):
		delete(inner, name)
	case g.chance(3):
		spec["required"] = []any{name}
	default:
		inner[name] = g.schema(2)
	}
	return root
}

// fieldNames are the names of generated properties.
var fieldNames = []string{"a", "b", "c", "name", "namespace", "protocol", "port"}

// schema generates a schema of any type.
func (g *definer) schema(depth int) map[string]any {
	var s map[string]any
	switch n := g.random.IntN(12); {
	case n < 4 && depth > 0:
		s = g.object(depth - 1)
	case n < 7 && depth > 0:
		s = g.list(depth - 1)
	case n < 8:
		s = g.number()
	case n == 8:
		s = pick(&g.mutator, []map[string]any{
			{"type": "boolean"},
			{"x-kubernetes-int-or-string": true},
			{"x-kubernetes-int-or-string": true, "anyOf": []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}},
			{"x-kubernetes-preserve-unknown-fields": true},
			{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
			{"type": "object", "x-kubernetes-embedded-resource": true, "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string", "default": "d"}}}}},
		})
		s = deepCopy(s).(map[string]any)
	default:
		s = g.text()
	}
	if g.chance(8) {
		s["nullable"] = true
	}
	if g.chance(10) {
		s["default"] = g.ofSchema(s, 0)
	}
	if g.chance(100) { // a mistake
		s[pick(&g.mutator, []string{"type", "uniqueItems", "pattern", "x-kubernetes-list-type", "default", "enum", "nullable", "format"})] =
			pick(&g.mutator, []any{"string", true, "[", "set", map[string]any{"a": "b"}, []any{}, []any{"a", "a"}, "int32", nil})
	}
	return s
}

func (g *definer) text() map[string]any {
	s := map[string]any{"type": "string"}
	switch g.random.IntN(7) {
	case 0:
		s["enum"] = []any{"a", "b", "Always"}
	case 1:
		s["pattern"] = pick(&g.mutator, []string{"^[a-z]+$", "a", `^\d*$`})
	case 2:
		s["maxLength"], s["minLength"] = json.Number(pick(&g.mutator, []string{"1", "3", "63"})), json.Number("1")
	case 3:
		s["format"] = pick(&g.mutator, []string{"date-time", "date", "byte", "uuid", "ipv4", "ipv6", "cidr", "duration", "email", "uri", "hostname", "quantity", "password", "unknown"})
	case 4:
		s["maxLength"] = json.Number("40")
		s["x-kubernetes-validations"] = []any{g.rule([]string{
			"self != 'abc'", "self == oldSelf", "self.startsWith('a')", "self.size() < 4", "!self.contains('/')", "oldSelf == '' || self != ''", "unknown(self)",
		})}
	}
	return s
}

func (g *definer) number() map[string]any {
	s := map[string]any{"type": pick(&g.mutator, []string{"integer", "integer", "number"})}
	switch g.random.IntN(6) {
	case 0:
		s["minimum"], s["maximum"] = json.Number("0"), json.Number("100")
	case 1:
		s["minimum"], s["exclusiveMinimum"] = json.Number("0"), true
	case 2:
		s["multipleOf"] = json.Number(pick(&g.mutator, []string{"2", "10"}))
	case 3:
		s["format"] = pick(&g.mutator, []string{"int32", "int64", "float", "double"})
	case 4:
		s["x-kubernetes-validations"] = []any{g.rule([]string{"self > 0", "self >= oldSelf", "self % 2 == 0", "self < 100"})}
	}
	return s
}

// rule generates a CEL rule.
func (g *definer) rule(from []string) map[string]any {
	r := map[string]any{"rule": pick(&g.mutator, from)}
	if g.chance(2) {
		r["message"] = "not allowed"
	}
	if g.chance(4) {
		r["reason"] = pick(&g.mutator, []string{"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"})
	}
	if g.chance(6) {
		r["messageExpression"] = pick(&g.mutator, []string{"'is ' + string(self)", "'computed'", "''"})
	}
	if g.chance(6) {
		r["rule"], r["optionalOldSelf"] = "!oldSelf.hasValue() || self == oldSelf.value()", true
	}
	return r
}

func (g *definer) object(depth int) map[string]any {
	s := map[string]any{"type": "object"}
	if g.chance(5) {
		s["additionalProperties"] = g.schema(depth)
		if g.chance(4) {
			s["maxProperties"] = json.Number("2")
		}
		if g.chance(6) {
			s["x-kubernetes-map-type"] = pick(&g.mutator, []string{"atomic", "granular"})
		}
		return s
	}
	properties := map[string]any{}
	for range 1 + g.random.IntN(4) {
		properties[pick(&g.mutator, fieldNames)] = g.schema(depth)
	}
	s["properties"] = properties
	if g.chance(4) {
		s["required"] = []any{pick(&g.mutator, fieldNames)}
	}
	if g.chance(8) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.chance(10) {
		s["x-kubernetes-map-type"] = pick(&g.mutator, []string{"atomic", "granular"})
	}
	if g.chance(8) {
		s["minProperties"] = json.Number("1")
	}
	if g.chance(8) {
		a, b := map[string]any{"required": []any{"a"}}, map[string]any{"required": []any{"b"}}
		s[pick(&g.mutator, []string{"anyOf", "oneOf", "allOf"})] = []any{a, b}
	}
	if g.chance(12) {
		s["not"] = map[string]any{"required": []any{"c"}}
	}
	if _, has := properties["a"]; has && g.chance(4) || g.chance(40) {
		s["x-kubernetes-validations"] = []any{g.rule([]string{
			"has(self.a)", "has(self.a) == has(oldSelf.a)", "!has(self.a) || !has(oldSelf.a) || self.a == oldSelf.a", "self == oldSelf",
		})}
	}
	return s
}

func (g *definer) list(depth int) map[string]any {
	s := map[string]any{"type": "array"}
	switch g.random.IntN(5) {
	case 0:
		s["items"], s["x-kubernetes-list-type"] = g.text(), "set"
	case 1, 2:
		item := g.object(depth)
		delete(item, "additionalProperties")
		delete(item, "default")
		keys := []any{"name"}
		properties := map[string]any{"name": map[string]any{"type": "string"}, "a": g.schema(0)}
		if g.chance(3) {
			keys = append(keys, "protocol")
			properties["protocol"] = map[string]any{"type": "string", "default": "TCP"}
		}
		item["properties"] = properties
		item["required"] = []any{"name"}
		if g.chance(20) {
			delete(item, "required")
		}
		s["items"], s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = item, "map", keys
	default:
		s["items"] = g.schema(depth)
		if g.chance(2) {
			s["x-kubernetes-list-type"] = "atomic"
		}
	}
	switch g.random.IntN(6) {
	case 0:
		s["maxItems"] = json.Number("2")
	case 1:
		s["minItems"] = json.Number("1")
	case 2:
		s["maxItems"] = json.Number("5")
		s["x-kubernetes-validations"] = []any{g.rule([]string{"self.size() < 3", "self.size() >= oldSelf.size()", "self == oldSelf"})}
	}
	return s
}
