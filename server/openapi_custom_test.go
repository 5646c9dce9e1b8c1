package server

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
)

// TestOpenAPIOfCustomResources compares the schemas of the recordings' custom resources
// with those published by kube-apiserver v1.36.3. 'kubectl explain' and typed clients
// depend on them.
func TestOpenAPIOfCustomResources(t *testing.T) {
	recorded, err := os.ReadFile("testdata/openapi-custom.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]any
	if err := json.Unmarshal(recorded, &want); err != nil {
		t.Fatal(err)
	}
	s := live(t, nil)
	answer, err := s.Client().Get(s.URL + "/openapi/v3/apis/lab.example.com/v1")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if len(want) != 4 {
		t.Fatalf("%d kinds are recorded, want 4", len(want))
	}
	for kind, properties := range want {
		for name, schema := range properties {
			sameSchema(t, kind+"."+name, schema, got.Components.Schemas[kind].Properties[name])
		}
	}
}

// sameSchema compares two schemas. It ignores list and map types that equal the
// default, and the order of required fields.
func sameSchema(t *testing.T, path string, want, got any) {
	t.Helper()
	w, ok := want.(map[string]any)
	g, ok2 := got.(map[string]any)
	if !ok || !ok2 {
		if !reflect.DeepEqual(sorted(want), sorted(got)) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
		return
	}
	for _, m := range []map[string]any{w, g} {
		if m["x-kubernetes-list-type"] == "atomic" {
			delete(m, "x-kubernetes-list-type")
		}
		if m["x-kubernetes-map-type"] == "granular" {
			delete(m, "x-kubernetes-map-type")
		}
		if m["x-kubernetes-embedded-resource"] == true {
			delete(m, "required") // apiVersion and kind, which every object has
			delete(m["properties"].(map[string]any), "metadata")
		}
	}
	for k := range w {
		sameSchema(t, path+"."+k, w[k], g[k])
	}
	for k := range g {
		if _, ok := w[k]; !ok {
			t.Errorf("%s.%s: got %v, which the API server does not publish", path, k, g[k])
		}
	}
}

func sorted(x any) any {
	l, ok := x.([]any)
	if !ok {
		return x
	}
	l = slices.Clone(l)
	slices.SortFunc(l, func(a, b any) int {
		if fmt.Sprint(a) < fmt.Sprint(b) {
			return -1
		}
		return 1
	})
	return l
}
