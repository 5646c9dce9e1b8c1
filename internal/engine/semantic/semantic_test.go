package semantic

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestEqualSchemas: the schemas of a definition are compared by their fields, where they may be
// values of another type, too.
func TestEqualSchemas(t *testing.T) {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		t.Fatal(err)
	}
	crd, ok := schema.NewRegistry(catalog).Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
	if !ok {
		t.Fatal("no customresourcedefinitions")
	}
	props := crd.Type().Map.Member("spec").Map.Member("versions").List.Elem.Map.Member("schema").Map.Member("openAPIV3Schema")
	for _, c := range []struct {
		why, a, b string
		equal     bool
	}{
		{"an empty list in items", `{"items":{"type":"object","required":[]}}`, `{"items":{"type":"object"}}`, true},
		{"an empty map in additionalProperties", `{"additionalProperties":{"items":{"properties":{}}}}`, `{"additionalProperties":{"items":{}}}`, true},
		{"an empty list in a list of items", `{"items":[{"enum":[]}]}`, `{"items":[{}]}`, true},
		{"another type in items", `{"items":{"type":"object"}}`, `{"items":{"type":"string"}}`, false},
		{"a schema and a boolean", `{"additionalProperties":{}}`, `{"additionalProperties":true}`, false},
		{"two booleans", `{"additionalProperties":false}`, `{"additionalProperties":true}`, false},
		{"no items and an empty schema", `{}`, `{"items":{}}`, false},
		{"two lists of names", `{"dependencies":{"a":["b"]}}`, `{"dependencies":{"a":["c"]}}`, false},
		{"an empty list and a list of items", `{"items":[]}`, `{"items":[{}]}`, false},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		if Equal(props, a, b) != c.equal || Equal(props, b, a) != c.equal {
			t.Errorf("%s: %s and %s: want %v", c.why, c.a, c.b, c.equal)
		}
	}
}

func parse(t *testing.T, text string) document.Value {
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

func TestEqual(t *testing.T) {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		t.Fatal(err)
	}
	pod, ok := schema.NewRegistry(catalog).Resource("", "v1", "pods")
	if !ok {
		t.Fatal("no pods")
	}
	spec := pod.Type().Map.Member("spec")
	for _, c := range []struct {
		why, a, b string
		equal     bool
	}{
		{"another spelling of an amount", `{"containers":[{"resources":{"requests":{"memory":"1Gi"}}}]}`, `{"containers":[{"resources":{"requests":{"memory":"1073741824"}}}]}`, true},
		{"another amount", `{"containers":[{"resources":{"requests":{"memory":"1Gi"}}}]}`, `{"containers":[{"resources":{"requests":{"memory":"1G"}}}]}`, false},
		{"an absent member of a map of amounts is not 0", `{"containers":[{"resources":{"requests":{"memory":"0"}}}]}`, `{"containers":[{"resources":{"requests":{}}}]}`, false},
		{"an absent amount behind a pointer is not 0", `{"volumes":[{"emptyDir":{"sizeLimit":"0"}}]}`, `{"volumes":[{"emptyDir":{}}]}`, false},
		{"another absent amount is", `{"volumes":[{"downwardAPI":{"items":[{"resourceFieldRef":{"divisor":"0"}}]}}]}`, `{"volumes":[{"downwardAPI":{"items":[{"resourceFieldRef":{}}]}}]}`, true},
		{"an empty list is an absent one", `{"tolerations":[]}`, `{}`, true},
		{"an empty map is an absent one", `{"nodeSelector":{}}`, `{}`, true},
		{"an empty struct is not an absent one", `{"affinity":{}}`, `{}`, false},
		{"the order of a list counts", `{"tolerations":[{"key":"a"},{"key":"b"}]}`, `{"tolerations":[{"key":"b"},{"key":"a"}]}`, false},
		{"the order of members does not", `{"nodeName":"n","hostname":"h"}`, `{"hostname":"h","nodeName":"n"}`, true},
		{"null is absent", `{"activeDeadlineSeconds":null}`, `{}`, true},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		if Equal(spec, a, b) != c.equal || Equal(spec, b, a) != c.equal {
			t.Errorf("%s: %s and %s: want %v", c.why, c.a, c.b, c.equal)
		}
	}
}

// TestEqualDeep compares schemas that are equal but for the spelling of the innermost part. A comparison of
// both with each other at each level would not end.
func TestEqualDeep(t *testing.T) {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		t.Fatal(err)
	}
	crd, _ := schema.NewRegistry(catalog).Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
	const depth = 100
	nested := func(inner string) document.Value {
		return parse(t, `{"spec":{"versions":[{"schema":{"openAPIV3Schema":`+strings.Repeat(`{"properties":{"a":`, depth)+inner+strings.Repeat(`}}`, depth)+`}}]}}`)
	}
	if !Equal(crd.Type(), nested(`{"required":[]}`), nested(`{}`)) || Equal(crd.Type(), nested(`{"required":["a"]}`), nested(`{}`)) {
		t.Error("an absent list equals an empty one, and no other")
	}
}
