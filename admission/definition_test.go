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
