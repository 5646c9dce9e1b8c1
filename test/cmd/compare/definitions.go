package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// compareDefinitions compares CustomResourceDefinitions with random schemas and their custom resources.
func compareDefinitions(o *options, p *pair) (*report, error) {
	r := newReport()
	for i := range o.cases {
		g := newDefiner(o, i)
		if err := compareDefinition(p, r, g.definition(fmt.Sprintf("d%dx%d", o.seed, i))); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// compareDefinition creates a definition on both servers and, if kube-apiserver accepts it, sends the requests for its
// custom resources.
func compareDefinition(p *pair, r *report, d *definition) error {
	c := conformance.Case{Name: "definitions/customresourcedefinitions/" + d.plural, Steps: []conformance.Step{
		{Request: request(http.MethodPost, definitions, "fieldManager=first", "application/json", encode(d.object()))},
	}}
	if err := p.compare(r, "definitions", c); err != nil {
		return err
	}
	path := definitions + "/" + d.plural + "." + d.group
	created := true
	for _, send := range []conformance.Send{p.ours, p.theirs} {
		if err := established(send, path); err != nil {
			return err
		}
		answer, err := send(conformance.Request{Method: http.MethodGet, Path: path})
		if err != nil {
			return err
		}
		created = created && answer.Code == http.StatusOK
	}
	if created {
		if err := p.compare(r, "custom resources", conformance.Case{Name: "definitions/objects/" + d.plural, Steps: d.steps}); err != nil {
			return err
		}
	}
	for _, send := range []conformance.Send{p.ours, p.theirs} {
		if _, err := send(conformance.Request{Method: http.MethodDelete, Path: path}); err != nil {
			return err
		}
	}
	return nil
}

// definition is a random CustomResourceDefinition with requests for its custom resources.
type definition struct {
	group, plural string
	versions      []any
	steps         []conformance.Step
}

func (d *definition) object() map[string]any {
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": d.plural + "." + d.group},
		"spec": map[string]any{
			"group": d.group, "scope": "Namespaced", "names": map[string]any{"plural": d.plural, "kind": "K" + d.plural},
			"versions": d.versions,
		},
	}
}

// definer generates definitions.
type definer struct {
	mutator
	careful bool // values have the type of their schema
}

// newDefiner returns the generator of the i-th case of a seed.
func newDefiner(o *options, i int) *definer {
	return &definer{mutator: mutator{
		random: rand.New(rand.NewPCG(o.seed, uint64(i))), schemas: &schemas{}, seen: map[string][]any{}, texts: map[string]bool{},
	}}
}

func (g *definer) chance(n int) bool { return g.random.IntN(n) == 0 }

// definition generates a definition with one or two versions, and the requests for its objects.
func (g *definer) definition(plural string) *definition {
	d := &definition{group: "compare.example.com", plural: plural}
	status, scale := g.chance(2), g.chance(4)
	var roots []map[string]any
	names := []string{"v1"}
	if g.chance(3) {
		names = append(names, "v1beta1")
	}
	for i, name := range names {
		root := g.root(scale)
		if i > 0 && g.chance(2) {
			root = g.altered(roots[0])
		}
		roots = append(roots, root)
		d.versions = append(d.versions, g.version(name, root, i == 0, status, scale))
	}
	g.requests(d, names, roots, status, scale)
	return d
}

func (g *definer) version(name string, root map[string]any, storage, status, scale bool) map[string]any {
	v := map[string]any{"name": name, "served": true, "storage": storage, "schema": map[string]any{"openAPIV3Schema": root}}
	subresources := map[string]any{}
	if status {
		subresources["status"] = map[string]any{}
	}
	if scale {
		subresources["scale"] = map[string]any{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}
	}
	if len(subresources) > 0 {
		v["subresources"] = subresources
	}
	if g.chance(2) {
		v["additionalPrinterColumns"] = g.columns()
	}
	if g.chance(2) {
		v["selectableFields"] = g.selectable(root)
	}
	return v
}

// columns generates columns of tables, for fields of the type that they name and for others.
func (g *definer) columns() []any {
	var columns []any
	for i := range 1 + g.random.IntN(4) {
		column := map[string]any{
			"name": fmt.Sprintf("C%d", i), "type": pick(&g.mutator, []string{"string", "integer", "number", "boolean", "date"}),
			"jsonPath": "." + pick(&g.mutator, []string{"spec", "status"}) + "." + pick(&g.mutator, fieldNames) +
				pick(&g.mutator, []string{"", "", "", "[*]", "[0]", ".a", "[*].name", `[?(@.name=="a")].a`}),
		}
		if g.chance(4) {
			column["format"] = pick(&g.mutator, []string{"int32", "date-time", "password", "name"})
		}
		if g.chance(4) {
			column["priority"] = json.Number("1")
		}
		columns = append(columns, column)
	}
	return columns
}

// selectable generates selectable fields; most are scalar fields of the spec.
func (g *definer) selectable(root map[string]any) []any {
	spec := root["properties"].(map[string]any)["spec"].(map[string]any)
	properties, _ := spec["properties"].(map[string]any)
	fields := []any{}
	for _, name := range fieldNames {
		property, _ := properties[name].(map[string]any)
		scalar := slices.Contains([]any{"string", "integer", "boolean"}, property["type"])
		if scalar || g.chance(80) {
			fields = append(fields, map[string]any{"jsonPath": ".spec." + name})
		}
	}
	return fields
}

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

// ofSchema generates a value that mostly matches a schema.
func (g *definer) ofSchema(s map[string]any, depth int) any {
	switch {
	case depth == 0 || g.careful:
	case g.chance(40):
		return nil
	case g.chance(30):
		return pick(&g.mutator, []any{"text", json.Number("7"), true, []any{}, map[string]any{}, json.Number("1.5")})
	}
	if text, ok := g.formatted(s); ok && g.careful {
		return text
	}
	if values, ok := s["enum"].([]any); ok && len(values) > 0 {
		return pick(&g.mutator, values)
	}
	switch s["type"] {
	case "object":
		return g.members(s, depth)
	case "array":
		item, _ := s["items"].(map[string]any)
		list := []any{}
		for range g.random.IntN(4) {
			list = append(list, g.ofSchema(item, depth+1))
		}
		return list
	case "integer", "number":
		if g.careful {
			return json.Number(pick(&g.mutator, []string{"10", "20"}))
		}
		return json.Number(pick(&g.mutator, []string{"0", "1", "2", "3", "10", "20", "-1", "101", "1.5"}))
	case "boolean":
		return g.chance(2)
	case "string":
		return pick(&g.mutator, []string{"a", "b", "abc", "x", "1", "TCP", "", "2020-01-01T00:00:00Z", "2020-01-01", "10.0.0.1", "fd00::1", "10.0.0.0/8", "1h", "a@example.com", "http://example.com/", "YQ==", "1Gi", "0b4b9b3c-4d0c-4f0a-9a52-0f0e2e4b7f55"})
	}
	if s["x-kubernetes-int-or-string"] == true {
		return pick(&g.mutator, []any{json.Number("5"), "5%", "http"})
	}
	return pick(&g.mutator, []any{"a", json.Number("1"), map[string]any{"a": "b"}, []any{json.Number("1")}})
}

// formatted returns a text that matches the format or pattern of a schema. It is false for other schemas.
func (g *definer) formatted(s map[string]any) (string, bool) {
	valid := map[string]string{
		"date-time": "2020-01-01T00:00:00Z", "date": "2020-01-01", "byte": "YQ==", "uuid": "0b4b9b3c-4d0c-4f0a-9a52-0f0e2e4b7f55", "ipv4": "10.0.0.1", "ipv6": "fd00::1",
		"cidr": "10.0.0.0/8", "duration": "1h", "email": "a@example.com", "uri": "http://example.com/", "hostname": "a", "quantity": "1Gi",
	}
	format, _ := s["format"].(string) // a mistake may be of another type
	if text, ok := valid[format]; ok {
		return text, true
	}
	return "a", s["pattern"] != nil
}

func (g *definer) members(s map[string]any, depth int) map[string]any {
	object := map[string]any{}
	if s["x-kubernetes-embedded-resource"] == true {
		object["apiVersion"], object["kind"], object["metadata"] = "v1", "ConfigMap", map[string]any{"name": "e", "labels": map[string]any{"a": "b"}}
	}
	if values, ok := s["additionalProperties"].(map[string]any); ok {
		for range g.random.IntN(3) {
			object[pick(&g.mutator, fieldNames)] = g.ofSchema(values, depth+1)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range fieldNames {
		one, ok := properties[name].(map[string]any)
		needed := slices.Contains(required, any(name)) && (g.careful || !g.chance(10))
		if ok && (needed || !g.chance(3)) {
			object[name] = g.ofSchema(one, depth+1)
		}
	}
	if !g.careful && g.chance(12) {
		object["unknown"] = "x"
	}
	return object
}

// requests generates the requests for an object of a definition.
func (g *definer) requests(d *definition, names []string, roots []map[string]any, status, scale bool) {
	add := func(method, path, query, contentType, body string) {
		d.steps = append(d.steps, conformance.Step{Request: request(method, path, query, contentType, body)})
	}
	at := func(version string) string {
		return "/apis/" + d.group + "/" + version + "/namespaces/c-" + d.plural + "/" + d.plural
	}
	current, versions := roots[0], d.versions
	g.careful = !g.chance(4) // so that there is an object for the requests that follow
	object := g.resource(d, names[0], current)
	g.careful = false
	add(http.MethodPost, at(names[0]), "fieldManager=first"+g.validation(), "application/json", encode(object))
	for range 4 + g.random.IntN(6) {
		i := g.random.IntN(len(names))
		version, root := names[i], roots[i]
		if i == 0 {
			root = current
		}
		path := at(version) + "/obj"
		next := g.resource(d, version, root)
		if g.chance(3) { // a small change to the object before, in its version
			var typ schema
			if err := json.Unmarshal([]byte(encode(root)), &typ); err == nil {
				next, _ = g.mutate(object, &typ)
				version = (manifest{object: next}).text("apiVersion")[len(d.group)+1:]
				path = at(version) + "/obj"
			}
		}
		manager := "fieldManager=" + pick(&g.mutator, []string{"first", "second", "third"}) + g.validation()
		switch n := g.random.IntN(14); {
		case n < 3:
			add(http.MethodPatch, path, manager+pick(&g.mutator, []string{"", "&force=true", "&force=true"}), applyPatchType, encode(next))
		case n < 5:
			add(http.MethodPut, path, manager, "application/json", encode(next))
		case n < 7:
			patch, _ := mergePatch(object, next)
			add(http.MethodPatch, path, manager, mergePatchType, encode(patch))
		case n == 7:
			add(http.MethodPatch, path, manager, jsonPatchType, encode([]any{map[string]any{"op": "add", "path": "/spec", "value": next["spec"]}}))
		case n == 8 && status:
			add(http.MethodPatch, path+"/status", manager, mergePatchType, encode(map[string]any{"status": next["status"]}))
		case n == 9 && status:
			add(http.MethodPatch, path+"/status", manager+"&force=true", applyPatchType, encode(next))
		case n == 10 && scale:
			add(http.MethodPatch, path+"/scale", manager, mergePatchType, `{"spec":{"replicas":`+pick(&g.mutator, []string{"1", "3", "-1", "null", `"a"`})+`}}`)
		case n == 11:
			d.steps = append(d.steps, conformance.Step{Request: g.read(at(version), path)})
		case n == 12:
			// kube-apiserver serves a changed definition some time after its response.
			current = g.altered(current)
			roots[0] = current
			versions = slices.Clone(versions)
			versions[0] = g.version(names[0], current, true, status, scale)
			add(http.MethodPatch, definitions+"/"+d.plural+"."+d.group, "fieldManager=first", mergePatchType, encode(map[string]any{"spec": map[string]any{"versions": versions}}))
			d.steps = append(d.steps, conformance.Step{Request: conformance.Request{Method: http.MethodGet, Path: definitions + "/" + d.plural + "." + d.group, SleepMS: 400}})
		case n == 13:
			add(http.MethodPatch, path, manager, mergePatchType, `{"metadata":{"labels":{"changed":"`+pick(&g.mutator, []string{"1", "2", "-"})+`"}}}`)
		default:
			add(http.MethodPost, at(version), manager+"&dryRun=All", "application/json", encode(next))
		}
		object = next
	}
	for range 3 {
		version := pick(&g.mutator, names)
		d.steps = append(d.steps, conformance.Step{Request: g.read(at(version), at(version)+"/obj")})
	}
}

// read generates a request for the object or the list, as a table or not, with a field selector or not.
func (g *definer) read(list, object string) conformance.Request {
	r := request(http.MethodGet, pick(&g.mutator, []string{object, list}), "", "", "")
	if g.chance(2) {
		r.Accept = tableType
	}
	if r.Path == list && g.chance(2) {
		r.Query = "fieldSelector=" + url.QueryEscape("spec."+pick(&g.mutator, fieldNames)+pick(&g.mutator, []string{"=", "!="})+pick(&g.mutator, []string{"a", "10", "true", ""}))
	}
	return r
}

// resource generates an object with the name obj.
func (g *definer) resource(d *definition, version string, root map[string]any) map[string]any {
	properties := root["properties"].(map[string]any)
	object := map[string]any{
		"apiVersion": d.group + "/" + version, "kind": "K" + d.plural,
		"metadata": map[string]any{"name": "obj", "namespace": "c-" + d.plural},
		"spec":     g.ofSchema(properties["spec"].(map[string]any), 0),
	}
	if g.chance(3) {
		object["status"] = g.ofSchema(properties["status"].(map[string]any), 0)
	}
	return object
}

func (g *definer) validation() string {
	return pick(&g.mutator, []string{"", "", "&fieldValidation=Strict", "&fieldValidation=Ignore"})
}
