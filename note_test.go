package patchlab_test

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/patch"
)

// hasNote reports whether a result has a note with the given text.
func hasNote(r *patchlab.Result, text string) bool {
	return slices.ContainsFunc(r.Notes, func(n patchlab.Note) bool { return n.String() == text })
}

// TestNotesAreTheirTextsInJSON checks the notes that are more than a text.
func TestNotesAreTheirTextsInJSON(t *testing.T) {
	for _, c := range []struct {
		why  string
		note patchlab.Note
		want string
	}{
		{"a kind without a schema", patchlab.NoSchema{APIVersion: "example.com/v1", Kind: "Gadget", Consequence: "lists merge as a whole"},
			"no schema for Gadget in example.com/v1, whose CustomResourceDefinition was not given (--crd): lists merge as a whole"},
		{"a kind is one line", patchlab.NoSchema{APIVersion: "example.com/v1", Kind: "A\nB", Consequence: "x"},
			`no schema for "A\nB" in example.com/v1, whose CustomResourceDefinition was not given (--crd): x`},
		{"one rule", patchlab.RulesNotRun{Kind: "Window", Rules: 1}, "1 CEL rule of Window was not evaluated; the program patchlab-admission evaluates it"},
		{"several rules", patchlab.RulesNotRun{Kind: "Window", Rules: 12}, "12 CEL rules of Window were not evaluated; the program patchlab-admission evaluates them"},
		{"a text", patchlab.NoteText("x"), "x"},
	} {
		b, err := json.Marshal([]patchlab.Note{c.note})
		var got []string
		if err != nil || json.Unmarshal(b, &got) != nil || !slices.Equal(got, []string{c.want}) || c.note.String() != c.want {
			t.Errorf("%s: %q, in JSON %s, want %q (%v)", c.why, c.note, b, c.want, err)
		}
	}
}

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
		if c.note == "" && len(r.Notes) > 0 || c.note != "" && !hasNote(r, c.note) {
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
		} else if got := hasNote(r, note); got != c.want {
			t.Errorf("%s: notes %q", c.why, r.Notes)
		}
	}
}

// TestResetFieldsAreNoted checks the notes about fields that the endpoint of a change resets
// (kubernetes/kubernetes#75564).
func TestResetFieldsAreNoted(t *testing.T) {
	const (
		status = "status has no effect in a change of the object itself, but in one of the subresource (--subresource status)"
		spec   = "spec has no effect in a change of the subresource status"
		live   = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a, namespace: default, uid: u, resourceVersion: '1'}\n" +
			"spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\nstatus: {replicas: 2}\n"
		manifest = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a, namespace: default}\n"
	)
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, change, subresource string
		action                   patchlab.Action
		want                     string
	}{
		{"an apply of a status", manifest + "status: {replicas: 3}", "", patchlab.ActionApply, status},
		{"a client-side apply", manifest + "status: {replicas: 3}", "", patchlab.ActionClientApply, status},
		{"a merge patch", "status: {replicas: 3}", "", patchlab.ActionMergePatch, status},
		{"a JSON patch", `[{"op":"replace","path":"/status/replicas","value":3}]`, "", patchlab.ActionJSONPatch, status},
		{"a JSON patch that tests it", `[{"op":"test","path":"/status/replicas","value":2}]`, "", patchlab.ActionJSONPatch, ""},
		{"a JSON patch of the spec", `[{"op":"replace","path":"/spec/replicas","value":3}]`, "", patchlab.ActionJSONPatch, ""},
		{"the status of the live object", manifest + "status: {replicas: 2}", "", patchlab.ActionApply, ""},
		{"the zero status of a Go type", manifest + "status: {replicas: 0, conditions: [], availableReplicas: null}", "", patchlab.ActionApply, ""},
		{"the status through the subresource", manifest + "status: {replicas: 3}", "status", patchlab.ActionMergePatch, ""},
		{"the spec through it", manifest + "spec: {replicas: 3}\nstatus: {replicas: 3}", "status", patchlab.ActionMergePatch, spec},
		{"the spec of the live object through it", manifest + "spec: {replicas: 2}\nstatus: {replicas: 3}", "status", patchlab.ActionMergePatch, ""},
	} {
		for result, err := range lab.Run(patchlab.Bytes([]byte(live)), patchlab.Bytes([]byte(c.change)), patchlab.Change{Action: c.action, FieldManager: "m", Subresource: c.subresource}) {
			if err != nil {
				t.Errorf("%s: %v", c.why, err)
				continue
			}
			for _, note := range []string{status, spec} {
				if hasNote(result, note) != (note == c.want) {
					t.Errorf("%s: notes %q, want %q", c.why, result.Notes, c.want)
				}
			}
		}
	}
}
