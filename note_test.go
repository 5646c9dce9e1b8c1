package patchlab_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/patch"
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

// TestLastFinalizerIsNoted checks the note about a change that completes a deletion.
func TestLastFinalizerIsNoted(t *testing.T) {
	const note = "the change removes the last finalizer of an object that is being deleted: the API server then deletes it"
	const deleted = `deletionTimestamp: "2026-03-02T10:00:00Z", `
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, kind, metadata, spec, patch string
		want                             bool
	}{
		{"the last one", "ConfigMap", deleted + "deletionGracePeriodSeconds: 0, finalizers: [a.example/b]", "", "{metadata: {finalizers: null}}", true},
		{"one of two", "ConfigMap", deleted + "finalizers: [a.example/b, a.example/c]", "", "{metadata: {finalizers: [a.example/b]}}", false},
		{"of an object that is not being deleted", "ConfigMap", "finalizers: [a.example/b]", "", "{metadata: {finalizers: null}}", false},
		{"a Namespace with content", "Namespace", deleted + "finalizers: [a.example/b]", "spec: {finalizers: [kubernetes]}", "{metadata: {finalizers: null}}", false},
		{"a Pod in its grace period", "Pod", deleted + "deletionGracePeriodSeconds: 30, finalizers: [a.example/b]", "spec: {containers: [{name: c, image: i}]}", "{metadata: {finalizers: null}}", false},
	} {
		live := "apiVersion: v1\nkind: " + c.kind + "\nmetadata: {name: a, uid: u, resourceVersion: '1', " + c.metadata + "}\n" + c.spec + "\n"
		r, err := lab.Patch(patchlab.Bytes([]byte(live)), patchlab.Named("p.yaml", []byte(c.patch)), patchlab.PatchOptions{Type: patch.TypeMerge})
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
		} else if got := slices.Contains(r.Notes, note); got != c.want {
			t.Errorf("%s: notes %q", c.why, r.Notes)
		}
	}
}
