package explain

import (
	"net/http"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/schema"
)

// statusDefinition is one whose lists of maps have keys with an empty default and keys without one, in its spec and in its status.
const statusDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kepts.lint.example.org}
spec:
  group: lint.example.org
  names: {kind: Kept, plural: kepts, singular: kept}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: &part
            type: object
            properties:
              text: {type: string}
              count: {type: integer}
              defaulted:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, properties: {name: {type: string, default: ""}, value: {type: string}}}
              keyed:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, value: {type: string}}}
          status: *part
`

// TestLintErrorsAreRefused compares the errors of manifests with the status codes with which kube-apiserver 1.36.3 has answered
// to their applies, with force: an apply is refused if Lint finds an error, and only then.
func TestLintErrorsAreRefused(t *testing.T) {
	registry := kinds(t)
	crd, err := schema.FromCRD(parsedYAML(t, statusDefinition))
	if err != nil {
		t.Fatal(err)
	}
	registry.AddCRD(crd)
	const (
		aKept = "apiVersion: lint.example.org/v1\nkind: Kept\nmetadata: {name: a}\n"
		aPod  = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
		spec  = "spec: {containers: [{name: a, image: a}]}\n"
	)
	for _, c := range []struct {
		why, object string
		code        int
		want        string
	}{
		{"an item of a custom resource with its key by an empty default", aKept + "spec: {defaulted: [{value: b}]}", http.StatusCreated, "defaulted-key .spec.defaulted[0]"},
		{"an item of a custom resource without its key", aKept + "spec: {keyed: [{value: b}]}", http.StatusInternalServerError, "missing-key .spec.keyed[0]"},
		{"a key that Go omits if it is empty, and validation accepts", aPod + "spec: {imagePullSecrets: [{}], containers: [{name: a, image: a}]}", http.StatusCreated, "defaulted-key .spec.imagePullSecrets[0]"},
		{"a key that Go stores if it is empty, and validation refuses", aPod + "spec: {containers: [{image: a}]}", http.StatusUnprocessableEntity, "missing-key .spec.containers[0]"},
		{"an owner without a uid", aKept[:len(aKept)-2] + ", ownerReferences: [{apiVersion: v1, kind: Pod, name: b}]}\n", http.StatusUnprocessableEntity, "missing-key .metadata.ownerReferences[0]"},
		{"null in a status, as in exported pods", aPod + spec + "status: {conditions: [{type: Ready, status: 'True', lastProbeTime: null}]}", http.StatusCreated, "reset-field .status"},
		{"null as a status", aPod + spec + "status: null", http.StatusCreated, "reset-field .status"},
		{"null in the status of a custom resource", aKept + "status: {text: null, keyed: null}", http.StatusCreated, "reset-field .status"},
		{"the same in its spec", aKept + "spec: {text: null}", http.StatusUnprocessableEntity, "type .spec.text"},
		{"empty lists and maps in a status, as in definitions of controller-gen", service + "spec: {ports: [{port: 80, protocol: TCP}]}\nstatus: {conditions: [], loadBalancer: {ingress: []}}", http.StatusCreated, "reset-field .status"},
		{"values that are not stored in a status", aPod + spec + "status: {reason: '', observedGeneration: 0}", http.StatusCreated, "reset-field .status"},
		{"an item of a status without a key that validation would require", aPod + spec + "status: {conditions: [{status: 'True'}], podIPs: [{}]}", http.StatusCreated, "reset-field .status"},
		{"an item of the status of a custom resource with its key by default", aKept + "status: {defaulted: [{value: b}]}", http.StatusCreated, "reset-field .status"},
		{"an item of the status of a custom resource without its key", aKept + "status: {keyed: [{value: b}]}", http.StatusInternalServerError, "missing-key .status.keyed[0], reset-field .status"},
		{"two items of a status with one key", aPod + spec + "status: {conditions: [{type: Ready, status: 'True'}, {type: Ready, status: 'True'}]}", http.StatusInternalServerError, "duplicate-item .status.conditions[1], reset-field .status"},
		{"a value of a wrong type in a status", aKept + "status: {count: a}", http.StatusInternalServerError, "reset-field .status, type .status.count"},
		{"an unknown field in a status", aKept + "status: {other: a}", http.StatusInternalServerError, "reset-field .status, unknown-field .status.other"},
		{"a number in a status that does not fit its field", aPod + spec + "status: {observedGeneration: 9223372036854775808}", http.StatusCreated, "reset-field .status"},
	} {
		found := Lint(registry, parsedYAML(t, c.object))[0]
		if got := lintText(found); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.why, got, c.want)
		}
		isError := func(f Finding) bool { return f.Severity == LevelError }
		if slices.ContainsFunc(found, isError) != (c.code != http.StatusCreated) {
			t.Errorf("%s: %s, but kube-apiserver answers with %d", c.why, lintText(found), c.code)
		}
	}
}
