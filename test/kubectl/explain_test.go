package kubectl

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

const explained = recorded + "explain.jsonl"

// TestExplain runs 'kubectl explain' for built-in kinds and custom resources with each
// kubectl, and compares its output with that of kubectl v1.36.3 against kube-apiserver
// v1.36.3. A description, an enum or a reference that is missing in the OpenAPI documents
// changes the output. With -record explain and a kube-apiserver, it writes the recordings.
func TestExplain(t *testing.T) {
	flows := readFlows(t, explained)
	if len(flows) < 20 {
		t.Fatalf("%s has only %d flows", explained, len(flows))
	}
	cfg := testserver.Start(t, crds)
	for _, kubectl := range clients(t) {
		if kubectl.name == machine {
			continue // it may be a release that prints explanations in another way
		}
		if *record == "explain" && testserver.Foreign() && kubectl.version == "1.36" {
			var out bytes.Buffer
			enc := json.NewEncoder(&out)
			enc.SetEscapeHTML(false)
			for _, f := range flows {
				f.Commands = f.run(t, kubectl.path, testserver.Namespace(t, cfg), cfg)
				if err := enc.Encode(f); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(explained, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Run(kubectl.name, func(t *testing.T) {
			for _, f := range flows {
				t.Run(f.Name, func(t *testing.T) {
					t.Parallel()
					check(t, f, kubectl.path, cfg)
				})
			}
		})
	}
}
