package patchlab_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab"
)

// TestDroppedFieldsHavePositions checks the notes about unknown fields that the API server drops with a
// warning. The text of a warning does not tell the dots in a key from those between fields.
func TestDroppedFieldsHavePositions(t *testing.T) {
	const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              hosts: {type: object, additionalProperties: {type: object, properties: {port: {type: integer}}}}
`
	const live = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g, namespace: default, uid: u, resourceVersion: \"1\"}\n"
	for _, c := range []struct{ why, patch, note string }{
		{"a field of an object", "spec:\n  host: {}\n", "p.yaml:2:9: the API server drops spec.host; did you mean hosts?"},
		{"a field below a key with dots", "spec:\n  hosts:\n    a.example.com:\n      port: 1\n      prt: 2\n",
			"p.yaml:5:12: the API server drops spec.hosts.a.example.com.prt; did you mean port?"},
		{"an unknown member of an operation", `[{"op":"test","path":"/kind","value":"Gadget","why":"x"}]`, ""},
	} {
		lab, err := patchlab.New(patchlab.Options{CRDs: fstest.MapFS{"crd.yaml": {Data: []byte(crd)}}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := lab.Patch(patchlab.Bytes([]byte(live)), patchlab.Named("p.yaml", []byte(c.patch)), patchlab.PatchOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if len(r.Warnings) != 1 {
			t.Errorf("%s: warnings %q", c.why, r.Warnings)
		}
		if c.note == "" && len(r.Notes) > 0 || c.note != "" && !slices.Contains(r.Notes, c.note) {
			t.Errorf("%s: notes %q, want %q", c.why, r.Notes, c.note)
		}
	}
}
