// Package kubectl runs several versions of the real kubectl against patchlab and compares
// their output with recordings against kube-apiserver v1.36.3.
package kubectl

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

const (
	recorded = "../../testdata/kubectl/"
	crds     = "../../testdata/crds"
)

// flowFiles maps each minor version of kubectl to the files of its recordings.
var flowFiles = map[string][]string{
	"1.32": {recorded + "flows.jsonl", recorded + "more-flows.jsonl"},
	"1.36": {recorded + "flows-kubectl-1.36.jsonl"},
}

var record = flag.String("record", "", "with "+testserver.EnvServer+" set to a kube-apiserver: write what the kubectl of this minor version says there into its last file, for every flow of kubectl 1.32")

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "kubectl")
	if err != nil {
		panic(err)
	}
	binDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestRecordedKubectlFlows runs every recorded flow with every available kubectl of its version.
func TestRecordedKubectlFlows(t *testing.T) {
	for _, kubectl := range clients(t) {
		cfg := testserver.Start(t, crds)
		t.Run(kubectl.name, func(t *testing.T) {
			var passed, total atomic.Int32
			t.Cleanup(func() {
				t.Logf("%d of %d flows have the results recorded against kube-apiserver v1.36.3", passed.Load(), total.Load())
			})
			files := flowFiles[kubectl.version]
			if kubectl.name == machine {
				files = files[:1] // the kubectl built from the module of this version runs all
			}
			for _, file := range files {
				for _, f := range readFlows(t, file) {
					total.Add(1)
					t.Run(f.Name, func(t *testing.T) {
						t.Parallel()
						if check(t, f, kubectl.path, cfg) {
							passed.Add(1)
						}
					})
				}
			}
		})
	}
}

// check runs a flow and reports the first command whose result differs.
func check(t *testing.T, f flow, kubectl string, cfg *rest.Config) bool {
	t.Helper()
	got := f.run(t, kubectl, testserver.Namespace(t, cfg), cfg)
	for i, want := range f.Commands {
		if d := want.differs(got[i]); d != "" {
			t.Errorf("%s\nkubectl %s: %s\nwant exit code %d\n%s%sgot exit code %d\n%s%s", f.Note, want.Args, d,
				want.Code, want.Stdout, want.Stderr, got[i].Code, got[i].Stdout, got[i].Stderr)
			return false
		}
	}
	return true
}

// TestRecord writes a new recording if the flag -record is set.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("nothing to record: no flag -record")
	}
	if !testserver.Foreign() {
		t.Fatal("recordings are made against a real server: set " + testserver.EnvServer + " to a kube-apiserver")
	}
	cfg := testserver.Start(t, crds)
	files := flowFiles[*record]
	if len(files) == 0 {
		t.Fatalf("no recordings are kept for kubectl %s", *record)
	}
	sources := flowFiles["1.32"]
	if *record == "1.32" {
		sources = files[len(files)-1:]
	}
	for _, kubectl := range clients(t) {
		if kubectl.version != *record || kubectl.name == machine {
			continue
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		for _, source := range sources {
			for _, f := range readFlows(t, source) {
				f.Commands = f.run(t, kubectl.path, testserver.Namespace(t, cfg), cfg)
				if err := enc.Encode(f); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.WriteFile(files[len(files)-1], out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
}
