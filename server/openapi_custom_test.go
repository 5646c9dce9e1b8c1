package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestOpenAPIOfCustomResources compares the schemas of custom resources, and of their lists,
// with those that kube-apiserver v1.36.3 published for the CRDs in testdata/crds and
// testdata/openapi-*.json: openapi-crd.json has every keyword that a CRD may use, and
// openapi-notations.json those of which version 2 of OpenAPI leaves out others. 'kubectl
// explain', the validation of kubectl and typed clients depend on them.
func TestOpenAPIOfCustomResources(t *testing.T) {
	recorded, err := os.ReadFile("testdata/openapi-custom.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]any // by the document's path and the schema's name
	if err := json.Unmarshal(recorded, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != 7 {
		t.Fatalf("%d documents are recorded, want 7", len(want))
	}
	s := live(t, nil)
	for _, file := range []string{"testdata/openapi-crd.json", "testdata/openapi-notations.json"} {
		crd, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		created, err := s.Client().Post(s.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", crd)
		crd.Close()
		if err != nil {
			t.Fatal(err)
		}
		created.Body.Close()
		if created.StatusCode != http.StatusCreated {
			t.Fatalf("creating the CRD of %s: status %d", file, created.StatusCode)
		}
	}
	for path, schemas := range want {
		answer, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Definitions map[string]any // in v2
			Components  struct{ Schemas map[string]any }
		}
		err = json.NewDecoder(answer.Body).Decode(&got)
		answer.Body.Close()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		published := got.Components.Schemas
		if published == nil {
			published = got.Definitions
		}
		for name := range published {
			if strings.HasPrefix(name, "com.example.") && schemas[name] == nil {
				t.Errorf("%s has a schema %s, which the API server does not publish", path, name)
			}
		}
		for name, schema := range schemas {
			for _, d := range differences(name, schema, published[name]) {
				t.Errorf("%s: %s", path, d)
			}
		}
	}
}

// differences lists where two JSON values differ.
func differences(path string, want, got any) []string {
	w, ok := want.(map[string]any)
	g, ok2 := got.(map[string]any)
	if !ok || !ok2 {
		if reflect.DeepEqual(want, got) {
			return nil
		}
		return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
	}
	var out []string
	for k := range w {
		out = append(out, differences(path+"."+k, w[k], g[k])...)
	}
	for k := range g {
		if _, ok := w[k]; !ok {
			out = append(out, fmt.Sprintf("%s.%s: got %v, which the API server does not publish", path, k, g[k]))
		}
	}
	return out
}

// TestOpenAPIOfAddedKinds checks kinds that a program has added to the registry, from a CRD
// that is not in the cluster, which is described as it is written, and from an OpenAPI document, which
// are described by their types.
func TestOpenAPIOfAddedKinds(t *testing.T) {
	written, err := os.ReadFile("testdata/openapi-crd.json")
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.Parse(written, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	crd, err := schema.FromCRD(d.Root)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := schema.FromOpenAPI(body(t, ask(served(t, ""), "GET", "/openapi/v3/apis/apps/v1", "")))
	if err != nil {
		t.Fatal(err)
	}
	registry := schema.NewRegistry(nil)
	registry.AddCRD(crd)
	registry.Add(kinds...)
	c, err := cluster.New(cluster.Config{Kinds: registry})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	s := New(c, Options{})
	const apps, rich = "/openapi/v3/apis/apps/v1", "/openapi/v3/apis/rich.example.com/v1"
	const podSpec, richKind = "io.k8s.api.core.v1.PodSpec", "com.example.rich.v1.Rich"
	for _, c := range []struct{ document, name, path, want string }{
		{apps, podSpec, "properties.containers.x-kubernetes-patch-merge-key", `"name"`},
		{apps, podSpec, "properties.containers.x-kubernetes-list-map-keys", `["name"]`},
		{apps, podSpec, "properties.volumes.x-kubernetes-patch-strategy", `"merge,retainKeys"`},
		{apps, podSpec, "required", `["containers"]`},
		{apps, "io.k8s.api.core.v1.ContainerPort", "properties.protocol.default", `"TCP"`},
		{apps, "io.k8s.apimachinery.pkg.api.resource.Quantity", "oneOf", `[{"type":"string"},{"type":"number"}]`},
		{apps, "io.k8s.apimachinery.pkg.util.intstr.IntOrString", "format", `"int-or-string"`},
		{apps, "io.k8s.api.apps.v1.Deployment", "x-kubernetes-group-version-kind", `[{"group":"apps","kind":"Deployment","version":"v1"}]`},
		{rich, richKind, "properties.spec.properties.a", `{"default":"x","enum":["x","y"],"type":"string"}`},
		{rich, richKind, "properties.spec.properties.i", `{"anyOf":[{"type":"integer"},{"type":"string"}],"description":"int or string","x-kubernetes-int-or-string":true}`},
		{rich, richKind, "properties.spec.properties.m.x-kubernetes-list-map-keys", `["name"]`},
		{rich, richKind, "properties.spec.properties.ap.additionalProperties", `{"description":"the value","type":"integer"}`},
		{rich, richKind, "properties.spec.properties.replicas.maximum", `10`},
		{rich, "com.example.rich.v1.RichList", "description", `"RichList is a list of Rich"`},
	} {
		at := body(t, ask(s, "GET", c.document, "")).Lookup("components", "schemas", c.name)
		if got := at.Lookup(strings.Split(c.path, ".")...).String(); got != c.want {
			t.Errorf("%s: %s.%s is %s, want %s", c.document, c.name, c.path, got, c.want)
		}
	}
}

// TestSelectableFieldsOfUnknownFields: the schema of a resource that preserves unknown fields has no properties in OpenAPI
// 2, but the selectable fields, as kube-apiserver v1.36.3 published it.
func TestSelectableFieldsOfUnknownFields(t *testing.T) {
	s := local(t, Options{})
	const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"loose.open.example.com"},"spec":{
		"group":"open.example.com","scope":"Namespaced","names":{"plural":"loose","kind":"Loose"},"versions":[{"name":"v1","served":true,"storage":true,
		"selectableFields":[{"jsonPath":".spec.port"}],"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
		"properties":{"spec":{"type":"object","properties":{"port":{"type":"string"}}}}}}}]}}`
	if w := ask(s, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	var got struct{ Definitions map[string]any }
	if err := json.Unmarshal(ask(s, "GET", "/openapi/v2", "").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var want any
	const published = `{"type":"object","x-kubernetes-group-version-kind":[{"group":"open.example.com","kind":"Loose","version":"v1"}],
		"x-kubernetes-selectable-fields":[{"fieldPath":"spec.port"}]}`
	if err := json.Unmarshal([]byte(published), &want); err != nil {
		t.Fatal(err)
	}
	for _, d := range differences("Loose", want, got.Definitions["com.example.open.v1.Loose"]) {
		t.Error(d)
	}
}
