package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

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
	versions := d.versions
	g.careful = !g.chance(4) // so that there is an object for the requests that follow
	object := g.resource(d, names[0], roots[0])
	g.careful = false
	add(http.MethodPost, at(names[0]), "fieldManager=first"+g.validation(), "application/json", encode(object))
	for range 4 + g.random.IntN(6) {
		i := g.random.IntN(len(names))
		version, root := names[i], roots[i]
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
			versions = g.changed(versions, roots)
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
