package patchlab_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
)

// withoutIdentity removes what differs between the clusters: uid, resourceVersion and times.
func withoutIdentity(object document.Value) document.Value {
	for _, key := range [...]string{"uid", "resourceVersion", "creationTimestamp"} {
		object = object.Remove("metadata", key)
	}
	var entries document.ListBuilder
	for _, e := range object.Lookup("metadata", "managedFields").Items() {
		entries.Append(e.Without("time"))
	}
	return object.Set(entries.List(), "metadata", "managedFields")
}

// TestTransferClientSide compares an apply that transfers fields with what the requests of kubectl
// did to an object of a kube-apiserver.
func TestTransferClientSide(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", "transfer", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live, manifest := read("live.yaml"), read("manifest.yaml")
	for _, manager := range [...]string{"kubectl", "gitops"} {
		o := patchlab.ApplyOptions{FieldManager: manager, TransferClientSide: true}
		got, err := lab.Apply(patchlab.Bytes(live), patchlab.Bytes(manifest), o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := document.ParseYAML(read(manager+".yaml"), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := withoutIdentity(got.Object()), withoutIdentity(want.Root); !document.Equal(got, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", manager, got, want)
		}
		if !slices.ContainsFunc(got.Notes, func(n patchlab.Note) bool {
			return strings.Contains(n.String(), "the fields of kubectl-client-side-apply are transferred to "+manager)
		}) {
			t.Errorf("%s: the notes are %q", manager, got.Notes)
		}
		// What has been transferred is not transferred again.
		again, err := lab.Apply(patchlab.Bytes(got.Object().YAML()), patchlab.Bytes(manifest), o)
		if err != nil {
			t.Fatal(err)
		}
		if again.Changed() {
			t.Errorf("%s: the second apply changes\n%s to\n%s", manager, got.Object(), again.Object())
		}
	}
	explainsTransfer(t, lab, live, manifest)
	// A conflict ends the apply before anything is transferred.
	changed := strings.Replace(string(manifest), `image: "nginx:1"`, "image: nginx:2", 1)
	_, err = lab.Apply(patchlab.Bytes(live), patchlab.Bytes([]byte(changed)), patchlab.ApplyOptions{FieldManager: "gitops", TransferClientSide: true})
	var conflicts *patchlab.Conflicts
	if !errors.As(err, &conflicts) {
		t.Errorf("another image: %v, want conflicts", err)
	}
}

// explainsTransfer checks the reasons for an apply that changes a field and then transfers the others.
func explainsTransfer(t *testing.T, lab *patchlab.Lab, live, manifest []byte) {
	t.Helper()
	changed := strings.Replace(string(manifest), `image: "nginx:1"`, "image: nginx:2", 1)
	change := patchlab.Change{Action: patchlab.ActionApply, FieldManager: "gitops", Force: true, TransferClientSide: true, Explain: true}
	for result, err := range lab.Run(patchlab.Bytes(live), patchlab.Bytes([]byte(changed)), change) {
		if err != nil {
			t.Fatal(err)
		}
		rules := map[string]string{}
		for _, r := range result.Reasons() {
			rules[r.Path.String()] = string(r.Rule)
			for _, also := range r.Also {
				rules[r.Path.String()] += " " + string(also)
			}
		}
		container := `.spec.template.spec.containers[name="web"]`
		for path, want := range map[string]string{
			".metadata.labels.team":                        "apply/migrated",
			".metadata.labels.old":                         "apply/prune apply/migrated",
			".spec.replicas":                               "default apply/prune apply/migrated",
			container + ".image":                           "apply/transfer", // by the first apply
			container + ".env":                             "apply/prune-kept apply/migrated",
			container + `.env[name="C"].value`:             "apply/removed-with-parent apply/migrated",
			`.metadata.annotations["` + lastApplied + `"]`: "apply/removed-with-parent apply/migrated",
		} {
			if rules[path] != want {
				t.Errorf("%s: the rules are %q, want %q", path, rules[path], want)
			}
		}
	}
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
