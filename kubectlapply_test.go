package patchlab_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
)

// recordedApply is a run of 'kubectl apply' against kube-apiserver: the object before and after it.
type recordedApply struct {
	Name, Reason   string
	Args, Manifest string
	Live, After    json.RawMessage // absent if there is no object
	Unchanged      bool            // the resource version is the same
	Code           int
	Stderr         string
}

// options returns the options that correspond to kubectl's flags, and whether the apply is client-side.
func (r *recordedApply) options(t *testing.T) (o patchlab.ApplyOptions, client bool) {
	client = true
	for _, flag := range strings.Fields(r.Args)[1:] {
		manager, isManager := strings.CutPrefix(flag, "--field-manager=")
		switch {
		case flag == "--server-side":
			client, o.TransferClientSide = false, true
		case flag == "--force-conflicts":
			o.Force = true
		case isManager:
			o.FieldManager = manager
		default:
			t.Fatalf("%s: unknown flag %s", r.Name, flag)
		}
	}
	return o, client
}

// TestKubectlApply compares applies with recorded ones of kubectl: the objects and their owners, the refusals, and the
// notes on what kubectl only warns about.
func TestKubectlApply(t *testing.T) {
	file, err := os.Open(filepath.Join("testdata", "kubectl", "applies.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lab := newLab(t, patchlab.Options{CRDs: os.DirFS(filepath.Join("testdata", "crds"))})
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	seen := map[string]bool{}
	for lines.Scan() {
		var r recordedApply
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Reason == "" || seen[r.Name] {
			t.Errorf("%s: a case requires a reason and a name of its own", r.Name)
		}
		seen[r.Name] = true
		t.Run(r.Name, func(t *testing.T) { r.compare(t, lab) })
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func (r *recordedApply) compare(t *testing.T, lab *patchlab.Lab) {
	o, client := r.options(t)
	apply := lab.Apply
	if client {
		apply = lab.ClientApply
	}
	live, want := r.Live, r.After
	if live == nil {
		live = []byte("")
	}
	got, err := apply(patchlab.Bytes(live), patchlab.Bytes([]byte(r.Manifest)), o)
	var refused *patchlab.Error
	switch {
	case r.Code != 0:
		if !errors.As(err, &refused) {
			t.Errorf("%s:\ngot  %v\nwant %s", r.Reason, err, r.Stderr)
		}
		return
	case err != nil:
		t.Fatalf("%s: %v", r.Reason, err)
	}
	object, err := document.Parse(want, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := withoutIdentity(got.Object()), withoutIdentity(object.Root); !document.Equal(got, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", r.Reason, got, want)
	}
	if before, err := document.Parse(live, document.Options{}); r.Unchanged && (err != nil || !document.Equal(got.Object(), before.Root)) {
		t.Errorf("%s: the object or a time of its managers changes (%v):\ngot  %s\nwant %s", r.Reason, err, got.Object(), live)
	}
	if _, warning, found := strings.Cut(strings.TrimSpace(r.Stderr), "Error: "); found &&
		!slices.ContainsFunc(got.Notes, func(n patchlab.Note) bool { return strings.Contains(n.String(), warning) }) {
		t.Errorf("%s: the notes %q do not contain kubectl's warning %q", r.Reason, got.Notes, warning)
	}
}
