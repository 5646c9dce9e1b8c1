package peers

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// A generator creates random structural schemas and objects for them, deterministically for a
// seed.
type generator struct {
	*rand.Rand
	junctors bool // the schema has anyOf, allOf, oneOf or not
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

type object = map[string]any

var names = []string{"a", "b", "c", "name", "kind", "metadata", "x.y", "d/e"}

// crd creates a CustomResourceDefinition with one version.
func (g *generator) crd() object {
	root := g.object(0)
	delete(root, "additionalProperties")
	delete(root, "nullable")
	delete(root, "default")
	delete(root, "x-kubernetes-embedded-resource")
	props := object{}
	for _, name := range []string{"spec", "status", "data"} {
		if g.chance(80) {
			props[name] = g.schema(1)
		}
	}
	if g.chance(30) {
		props["metadata"] = object{"type": "object", "properties": object{"name": object{"type": "string", "maxLength": 3 + g.IntN(5)}}}
	}
	if g.chance(30) {
		props["kind"] = object{"type": "string"}
	}
	root["properties"] = props
	delete(root, "required")
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": "things.example.com"},
		"spec": object{
			"group": "example.com", "scope": "Namespaced",
			"names": object{"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
			"versions": []any{object{
				"name": "v1", "served": true, "storage": true,
				"schema": object{"openAPIV3Schema": root},
			}},
		},
	}
}

func (g *generator) schema(depth int) object {
	if depth > 4 {
		return g.scalar()
	}
	switch n := g.IntN(100); {
	case n < 35:
		return g.scalar()
	case n < 60:
		return g.object(depth)
	case n < 85:
		return g.list(depth)
	case n < 92:
		return object{"x-kubernetes-preserve-unknown-fields": true}
	}
	s := g.object(depth)
	delete(s, "additionalProperties")
	s["x-kubernetes-embedded-resource"] = true
	if props, _ := s["properties"].(object); len(props) == 0 || g.chance(50) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if props, ok := s["properties"].(object); ok {
		for name, typ := range map[string]string{"kind": "string", "metadata": "object"} {
			if _, ok := props[name]; ok {
				props[name] = object{"type": typ}
			}
		}
	}
	return s
}

func (g *generator) scalar() object {
	s := object{}
	switch g.IntN(6) {
	case 0:
		s["x-kubernetes-int-or-string"] = true
		if g.chance(30) {
			s["anyOf"] = []any{object{"type": "integer"}, object{"type": "string"}}
			g.junctors = true // the keyword duplicates the type, so errors are duplicated
		}
		g.may(s, "default", 10, pick[any](g, "x", 3))
	case 1:
		s["type"] = "boolean"
		g.may(s, "default", 20, g.chance(50))
	case 2:
		s["type"] = "integer"
		g.may(s, "format", 30, pick(g, "int32", "int64", "odd"))
		g.may(s, "minimum", 20, g.IntN(5)-2)
		g.may(s, "exclusiveMinimum", 5, true)
		g.may(s, "maximum", 20, g.IntN(5)+3)
		g.may(s, "multipleOf", 10, 1+g.IntN(2))
		g.may(s, "default", 20, 4)
	case 3:
		s["type"] = "number"
		g.may(s, "minimum", 20, 0.5)
		g.may(s, "maximum", 20, 5.5)
		g.may(s, "exclusiveMaximum", 5, true)
		g.may(s, "multipleOf", 10, 1.5)
	default:
		s["type"] = "string"
		g.may(s, "format", 30, pick(g, "date", "date-time", "uuid", "ipv4", "byte", "duration", "odd", "k8s-short-name"))
		g.may(s, "pattern", 15, pick(g, "^[a-c]*$", "b"))
		g.may(s, "minLength", 10, 1)
		g.may(s, "maxLength", 10, 3)
		g.may(s, "enum", 15, []any{"a", "b"})
	}
	g.may(s, "nullable", 15, true)
	if g.chance(10) {
		g.junctor(s, "minLength")
	}
	return s
}

func (g *generator) may(s object, key string, percent int, v any) {
	if g.chance(percent) {
		s[key] = v
	}
}

// junctor adds an anyOf, allOf, oneOf or not for validation only.
func (g *generator) junctor(s object, keyword string) {
	if _, taken := s["anyOf"]; taken {
		return
	}
	g.junctors = true
	some := func() object { return object{keyword: g.IntN(3)} }
	switch g.IntN(4) {
	case 0:
		s["anyOf"] = []any{some(), some()}
	case 1:
		s["oneOf"] = []any{some(), object{"not": some()}}
	case 2:
		s["allOf"] = []any{some(), some()}
	default:
		s["not"] = some()
	}
}

// memberJunctor adds an anyOf, allOf, oneOf or not with schemas for properties.
func (g *generator) memberJunctor(s object, names []string) {
	g.junctors = true
	some := func() object {
		name := pick(g, names...)
		if name == "metadata" {
			return object{"required": []any{"a"}}
		}
		switch g.IntN(3) {
		case 0:
			return object{"required": []any{name}}
		case 1:
			return object{"properties": object{name: object{"enum": []any{"a", 4, true}}}}
		}
		return object{"properties": object{name: object{"minLength": 2, "minimum": 1, "minItems": 2, "minProperties": 1}}}
	}
	s[pick(g, "anyOf", "oneOf", "allOf")] = []any{some(), some()}
	if g.chance(30) {
		s["not"] = some()
	}
}

func (g *generator) object(depth int) object {
	s := object{"type": "object"}
	g.may(s, "x-kubernetes-map-type", 20, pick(g, "atomic", "granular"))
	g.may(s, "x-kubernetes-preserve-unknown-fields", 15, true)
	g.may(s, "nullable", 15, true)
	g.may(s, "minProperties", 8, 1)
	g.may(s, "maxProperties", 8, 2)
	switch n := g.IntN(10); {
	case n < 6:
		props := object{}
		for range 1 + g.IntN(4) {
			props[pick(g, names...)] = g.schema(depth + 1)
		}
		s["properties"] = props
		if g.chance(12) {
			g.memberJunctor(s, slices.Sorted(maps.Keys(props)))
		}
		if g.chance(30) {
			s["required"] = []any{pick(g, names...)}
		}
		if g.chance(15) {
			s["default"] = object{}
		}
		g.may(s, "additionalProperties", 5, true)
	case n < 8:
		s["additionalProperties"] = g.schema(depth + 1)
	case n < 9:
		s["additionalProperties"] = true
	}
	if g.chance(8) {
		g.junctor(s, "minProperties")
	}
	return s
}

func (g *generator) list(depth int) object {
	s := object{"type": "array", "items": g.schema(depth + 1)}
	g.may(s, "nullable", 15, true)
	g.may(s, "minItems", 8, 1)
	g.may(s, "maxItems", 8, 2)
	g.may(s, "x-kubernetes-preserve-unknown-fields", 4, true)
	switch g.IntN(4) {
	case 0:
		s["x-kubernetes-list-type"] = "atomic"
	case 1:
		s["x-kubernetes-list-type"] = "set"
		item := g.scalar()
		delete(item, "nullable")
		s["items"] = item
	case 2:
		s["x-kubernetes-list-type"] = "map"
		item := g.object(depth + 1)
		delete(item, "nullable")
		delete(item, "additionalProperties")
		props := object{"id": object{"type": pick(g, "string", "integer")}}
		if old, ok := item["properties"].(object); ok {
			for name, p := range old {
				props[name] = p
			}
		}
		item["properties"], item["required"] = props, []any{"id"}
		s["x-kubernetes-list-map-keys"] = []any{"id"}
		if g.chance(40) {
			props["proto"] = object{"type": "string", "default": "TCP"}
			s["x-kubernetes-list-map-keys"] = []any{"id", "proto"}
		}
		s["items"] = item
	}
	return s
}

// value creates a value for a schema; most are valid.
func (g *generator) value(s object, depth int) any {
	if g.chance(6) {
		return nil
	}
	if s["x-kubernetes-embedded-resource"] != true && (g.chance(4) || depth > 8) {
		return g.junk(2)
	}
	switch s["type"] {
	case "object":
		return g.members(s, depth)
	case "array":
		items, _ := s["items"].(object)
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(items, depth+1))
		}
		return list
	case "string":
		if e, ok := s["enum"].([]any); ok && g.chance(80) {
			return e[g.IntN(len(e))]
		}
		return pick[any](g, "a", "b", "", "abcd", "2020-01-02", "2020-01-02T10:00:00Z", "10.0.0.1", "YWI=", "3s", "é")
	case "integer":
		return pick[any](g, int64(0), int64(1), int64(4), int64(7), int64(1)<<40, 2.0, 2.5)
	case "number":
		return pick[any](g, int64(1), 1.5, 2.0, 7.25, -1.0)
	case "boolean":
		return g.chance(50)
	}
	return g.junk(3)
}

func (g *generator) members(s object, depth int) any {
	m := object{}
	props, _ := s["properties"].(object)
	for name, p := range sorted(props) {
		if g.chance(75) {
			m[name] = g.value(p.(object), depth+1)
		}
	}
	if more, ok := s["additionalProperties"].(object); ok {
		for range g.IntN(3) {
			m[pick(g, names...)] = g.value(more, depth+1)
		}
	}
	if g.chance(25) {
		m[pick(g, "unknown", "a", "apiVersion")] = g.junk(2)
	}
	if _, ok := m["metadata"]; ok && s["x-kubernetes-embedded-resource"] == true {
		m["metadata"] = object{"name": "x"} // its validation belongs to another package
	}
	if s["x-kubernetes-embedded-resource"] == true && g.chance(80) {
		m["apiVersion"], m["kind"] = pick[any](g, "v1", "a/b/c", "", int64(1)), pick[any](g, "Thing", "1x", "")
	}
	return m
}

// junk creates an arbitrary value without metadata, which is decoded separately.
func (g *generator) junk(depth int) any {
	if depth == 0 || g.chance(50) {
		return pick[any](g, nil, true, int64(3), 2.0, "x", "12")
	}
	if g.chance(50) {
		return []any{g.junk(depth - 1), g.junk(depth - 1)}
	}
	return object{pick(g, "a", "b", "kind", "x.y", "d/e"): g.junk(depth - 1), fmt.Sprint("k", g.IntN(3)): g.junk(depth - 1)}
}

// spoil makes one change somewhere in a schema, after which it is usually not
// structural.
func (g *generator) spoil(s object) {
	for {
		var below []object
		for name, v := range sorted(s) {
			switch v := v.(type) {
			case object:
				if name != "properties" {
					below = append(below, v)
					continue
				}
				for _, p := range sorted(v) {
					below = append(below, p.(object))
				}
			case []any:
				for _, item := range v {
					if o, ok := item.(object); ok && name != "enum" {
						below = append(below, o)
					}
				}
			}
		}
		if len(below) == 0 || g.chance(30) {
			break
		}
		s = below[g.IntN(len(below))]
	}
	switch g.IntN(22) {
	case 0:
		delete(s, "type")
	case 1:
		s["type"] = pick(g, "object", "array", "string", "integer", "odd")
		if s["type"] != "object" {
			delete(s, "properties") // the parser ignores properties of types other than object
		}
	case 2:
		s["x-kubernetes-list-type"] = pick(g, "set", "map", "atomic", "odd")
	case 3:
		s["x-kubernetes-list-map-keys"] = []any{pick(g, "id", "a")}
	case 4:
		s["x-kubernetes-map-type"] = pick(g, "granular", "odd")
	case 5:
		s["x-kubernetes-preserve-unknown-fields"] = g.chance(50)
	case 6:
		s["x-kubernetes-embedded-resource"] = true
	case 7:
		s["x-kubernetes-int-or-string"] = true
	case 8:
		s["additionalProperties"] = object{"type": "string"}
	case 9:
		s["properties"] = object{pick(g, "a", "metadata"): object{"type": "string"}}
	case 10:
		delete(s, "items")
	case 11:
		s["anyOf"] = []any{object{"type": "string"}}
	case 12:
		s["allOf"] = []any{object{"properties": object{"zz": object{"minLength": 1}}}}
	case 13:
		s["not"] = object{"items": object{"required": []any{"a"}}}
	case 14:
		s["pattern"] = pick(g, "(", "a")
	case 15:
		s["uniqueItems"] = true
	case 16:
		s["nullable"] = true
	case 17:
		s["$ref"] = "#/x"
	case 18:
		delete(s, "required")
	case 19:
		s["items"] = object{"type": "string"}
	case 20:
		s["oneOf"] = []any{object{"nullable": true}, object{"description": "x"}}
	case 21:
		s["title"] = "x"
	}
}
