package admission

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// parsed returns a definition in YAML.
func parsed(t *testing.T, text string) document.Value {
	t.Helper()
	doc, err := document.ParseYAML([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

// TestDefinitionThatPanics checks that a definition for which kube-apiserver's own validation
// panics is left to the validation of package kinds.
func TestDefinitionThatPanics(t *testing.T) {
	object := parsed(t, `
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
`)
	if causes, complete := customDefinition(t.Context(), object, document.Value{}); complete || len(causes) > 0 {
		t.Errorf("got %v, complete %v; want no causes, incomplete", causes, complete)
	}
}

// TestDefinitionCheckedAgain checks that the errors of the definition that was validated last are
// those of the same definition after another write, and not those of another definition.
func TestDefinitionCheckedAgain(t *testing.T) {
	definition := func(generation, rule string) document.Value {
		return parsed(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com, generation: `+generation+`}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}, x-kubernetes-validations: [{rule: "`+rule+`"}]}}}}
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

// TestDefinitionFieldsOfVersions checks that a cause has the path that the definition has, also where its field is one of
// the internal type: what all versions have in common is not below a version there.
func TestDefinitionFieldsOfVersions(t *testing.T) {
	const version = `
    served: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integr}}}}}}
    subresources: {scale: {specReplicasPath: replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns: [{name: Size, type: text, jsonPath: .spec.size}]
    selectableFields: [{jsonPath: spec.size}]
`
	const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}
  versions:
  - name: v1
    storage: true` + version
	const other = `
  - name: v2
    storage: false
    served: true
    schema: {openAPIV3Schema: {type: object}}
`
	for _, c := range []struct{ why, text, field string }{
		{"one version", definition, "spec.validation.openAPIV3Schema.properties[spec].properties[size].type"},
		{"two versions that are the same", definition + "\n  - name: v2\n    storage: false" + version, "spec.validation.openAPIV3Schema.properties[spec].properties[size].type"},
		{"two versions", definition + other, "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].type"},
	} {
		causes, _ := customDefinition(t.Context(), parsed(t, c.text), document.Value{})
		fields, paths := map[string]bool{}, map[string]bool{}
		for _, cause := range causes {
			fields[cause.Field], paths[cause.Path.String()] = true, true
		}
		if !fields[c.field] {
			t.Errorf("%s: no cause at %s: %v", c.why, c.field, fields)
		}
		for _, path := range []string{"schema.openAPIV3Schema.properties.spec.properties.size.type", "subresources.scale.specReplicasPath",
			"additionalPrinterColumns[0].type", "selectableFields[0].jsonPath"} {
			if !paths[".spec.versions[0]."+path] {
				t.Errorf("%s: no cause at %s: %v", c.why, path, paths)
			}
		}
	}
}
