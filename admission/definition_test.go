package admission

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestDefinitionThatPanics checks that a definition for which kube-apiserver's own validation
// panics is left to the validation of package kinds.
func TestDefinitionThatPanics(t *testing.T) {
	doc, err := document.ParseYAML([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .spec}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: string, x-kubernetes-preserve-unknown-fields: false}}}}
`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if causes, complete := customDefinition(t.Context(), doc.Root, document.Value{}); complete || len(causes) > 0 {
		t.Errorf("got %v, complete %v; want no causes, incomplete", causes, complete)
	}
}

// TestDefinitionCheckedAgain checks that the errors of the definition that was validated last are
// those of the same definition after another write, and not those of another definition.
func TestDefinitionCheckedAgain(t *testing.T) {
	parse := func(text string) document.Value {
		doc, err := document.ParseYAML([]byte(text), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return doc.Root
	}
	definition := func(generation, rule string) document.Value {
		return parse(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com, generation: ` + generation + `}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}, x-kubernetes-validations: [{rule: "` + rule + `"}]}}}}
status: {storedVersions: [v1]}
`)
	}
	r := NewRules()
	for i, c := range []struct {
		generation, rule string
		valid            bool
	}{{"1", "self.size > 0", true}, {"2", "self.size > 0", true}, {"3", "self.size > ", false}, {"4", "self.size > ", false}, {"5", "self.size > 0", true}} {
		causes, ok := r.customDefinition(t.Context(), definition(c.generation, c.rule), document.Value{})
		if !ok || (len(causes) == 0) != c.valid {
			t.Errorf("%d: %v", i, causes)
		}
		for j := range causes {
			causes[j].Field = "changed by the caller"
		}
		again, _ := r.customDefinition(t.Context(), definition(c.generation, c.rule), document.Value{})
		for _, cause := range again {
			if cause.Field == "changed by the caller" {
				t.Errorf("%d: the caller has changed what is kept", i)
			}
		}
	}
}
