package schema

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

func readOpenAPIFile(t testing.TB) document.Value {
	t.Helper()
	data, err := os.ReadFile("testdata/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

func TestFromOpenAPI(t *testing.T) {
	kinds, err := FromOpenAPI(readOpenAPIFile(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	if want := []string{"apps/v1, Kind=Deployment", "example.com/v1, Kind=Thing"}; !slices.Equal(names, want) {
		t.Fatalf("kinds %v, want %v", names, want)
	}
	deployment, thing := kinds[0], kinds[1]
	if !deployment.Builtin || deployment.Resource != "deployments" || !deployment.Namespaced ||
		!slices.Equal(deployment.Verbs, []string{"create", "get", "list", "patch", "watch"}) {
		t.Errorf("%+v", deployment)
	}
	if s, ok := deployment.Subresource("scale"); !ok || s.Kind.Kind != "Scale" || deployment.Scale == nil || deployment.Status {
		t.Errorf("subresources %v", deployment.Subresources)
	}
	f, replicas := fieldAt(t, deployment.Type(), "spec.replicas")
	if f.Go != GoPointer|GoOmitEmpty || replicas.Format != "int32" || f.Default != "" {
		t.Errorf("replicas are %+v", f)
	}
	if !typeAt(t, deployment.Type(), "spec.selector").Map.Atomic || typeAt(t, deployment.Type(), "spec.other").Map.Atomic {
		t.Error("a field's own map type is ignored, or affects other fields")
	}
	if thing.Builtin || thing.Namespaced || !slices.Contains(thing.Verbs, "watch") {
		t.Errorf("%+v", thing)
	}
	if f, _ := fieldAt(t, thing.Type(), "spec.count"); f.Default != "0" {
		t.Errorf("a custom resource's default of 0 is %q", f.Default)
	}
	if typeAt(t, thing.Type(), "metadata").Name != objectMetaName {
		t.Error("metadata does not have the type ObjectMeta")
	}
}

func TestInvalidOpenAPI(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"{}", "/openapi/v3", "not a document"},
		{"{paths: {apis/apps/v1: {serverRelativeURL: /openapi/v3/apis/apps/v1}}}", "index", "the index of documents"},
		{"[]", "openapi", "a list"},
		{"{openapi: 3.0.0, components: {schemas: {a.b.K: {type: object, x-kubernetes-group-version-kind: [{group: a, version: v1, kind: K}], properties: {x: {$ref: '#/components/schemas/a.b.Gone'}}}}}}",
			`does not contain the referenced type "a.b.Gone"`, "a reference to a missing type"},
		{"{openapi: 3.0.0, components: {schemas: {a.b.K: {type: odd, x-kubernetes-group-version-kind: [{group: a, version: v1, kind: K}]}}}}",
			`type "odd"`, "an unknown type"},
	} {
		_, err := FromOpenAPI(parse(t, c.text))
		if !errors.Is(err, ErrInvalidOpenAPI) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
}

// TestRecursiveOpenAPI: conversion of recursive types terminates, even if the recursion
// passes a field's own map type.
func TestRecursiveOpenAPI(t *testing.T) {
	kinds, err := FromOpenAPI(parse(t, `
openapi: 3.0.0
components:
  schemas:
    x.K:
      type: object
      x-kubernetes-group-version-kind: [{group: x, version: v1, kind: K}]
      properties:
        self: {$ref: '#/components/schemas/x.K'}
        atomic: {allOf: [{$ref: '#/components/schemas/x.K'}], x-kubernetes-map-type: atomic}
`))
	if err != nil {
		t.Fatal(err)
	}
	k := kinds[0].Type()
	if typeAt(t, k, "self.self") != k || !typeAt(t, k, "atomic").Map.Atomic || k.Map.Atomic {
		t.Error("the type is not itself below itself")
	}
	if typeAt(t, k, "atomic.atomic") != typeAt(t, k, "atomic") {
		t.Error("the atomic one is made twice")
	}
}

// TestListRelationship: a list without a list type merges by its patch strategy, as
// schemaconv converts built-in kinds.
func TestListRelationship(t *testing.T) {
	const items = "items: {type: object, properties: {a: {type: string, default: x}}}"
	for _, c := range []struct {
		list, reason string
		kind         ListKind
		keys         []Key
	}{
		{"type: array, " + items, "no list extension", AtomicList, nil},
		{"type: array, x-kubernetes-patch-strategy: merge, x-kubernetes-patch-merge-key: a, " + items, "a merge key", KeyedList, []Key{{"a", `"x"`}}},
		{"type: array, x-kubernetes-patch-strategy: 'merge,retainKeys', x-kubernetes-patch-merge-key: a, " + items, "two strategies", KeyedList, []Key{{"a", `"x"`}}},
		{"type: array, x-kubernetes-patch-strategy: merge, items: {type: string}", "no merge key", SetList, nil},
		{"type: array, x-kubernetes-patch-strategy: retainKeys, " + items, "keys of a map", AtomicList, nil},
		{"type: array, x-kubernetes-list-type: atomic, x-kubernetes-patch-strategy: merge, x-kubernetes-patch-merge-key: a, " + items, "the list type takes precedence", AtomicList, nil},
		{"type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b, a], " + items, "keys are sorted", KeyedList, []Key{{"a", `"x"`}, {"b", ""}}},
	} {
		kinds, err := FromOpenAPI(parse(t, `
openapi: 3.0.0
components:
  schemas:
    x.K:
      type: object
      x-kubernetes-group-version-kind: [{group: x, version: v1, kind: K}]
      properties: {list: {`+c.list+`}}
`))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if l := typeAt(t, kinds[0].Type(), "list").List; l.Kind != c.kind || !slices.Equal(l.Keys, c.keys) {
			t.Errorf("%s: list kind %d by %v, want %d by %v", c.reason, l.Kind, l.Keys, c.kind, c.keys)
		}
	}
}

// TestOpenAPIOfOtherTypes: a document may define well-known type names differently.
func TestOpenAPIOfOtherTypes(t *testing.T) {
	for _, name := range []string{fieldsV1Name, microTimeName, quantityName, rawExtensionName, objectMetaName} {
		for _, typ := range []string{"string", "integer", "object", "array, items: {type: string}"} {
			_, err := FromOpenAPI(parse(t, `{openapi: 3.0.0, components: {schemas: {`+name+`: {type: `+typ+`}, X: {type: object,
				properties: {f: {$ref: "#/components/schemas/`+name+`"}}, x-kubernetes-group-version-kind: [{group: a, version: v1, kind: X}]}}}}`))
			if err != nil {
				t.Errorf("%s as %s: %v", name, typ, err)
			}
		}
	}
}

func FuzzFromOpenAPI(f *testing.F) {
	data, err := os.ReadFile("testdata/openapi.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := document.ParseYAML(data, document.Options{})
		if err != nil {
			return
		}
		kinds, err := FromOpenAPI(doc.Root)
		if err != nil && (kinds != nil || !errors.Is(err, ErrInvalidOpenAPI)) {
			t.Fatalf("kinds %v, error %v", kinds, err)
		}
	})
}
