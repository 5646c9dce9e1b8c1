package cluster_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
	"github.com/patchlab-dev/patchlab/schema"
)

// recordedKinds are the built-in kinds and the recorded custom resources.
func recordedKinds(t testing.TB) *schema.Registry {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	kinds := schema.NewRegistry(catalog)
	files, err := filepath.Glob("../testdata/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded CRDs: %v", err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := document.ParseYAML(body, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		crd, err := schema.FromCRD(doc.Root)
		if err != nil {
			t.Fatal(err)
		}
		kinds.AddCRD(crd)
	}
	return kinds
}

// beyondOneObject returns why a recorded change depends on more than the recorded object, ""
// if it does not.
func beyondOneObject(c conformance.Change) string {
	family, name, _ := strings.Cut(c.Case, "/")
	switch {
	case family == "order", name == "ten-update-managers-at-most":
		return "it depends on the times of the managers' entries, which the recording has not"
	case strings.HasPrefix(name, "pv-"), strings.HasPrefix(name, "pod-scheduling-gates"):
		return "its status holds a time of the server's"
	case strings.HasPrefix(name, "owner-references"):
		return "it names a uid that the recording has made up"
	}
	return ""
}

// TestStepReproducesRecordedWrites passes the object before each recorded write to Step and
// compares the response with the API server's. The new resourceVersion is ignored, because
// only a store assigns one.
func TestStepReproducesRecordedWrites(t *testing.T) {
	cases, err := conformance.ReadAll(recordings)
	if err != nil {
		t.Fatal(err)
	}
	least := 8000
	if testing.Short() {
		cases, least = conformance.Sample(cases, 10), 800
	}
	kinds := recordedKinds(t)
	total := 0
	for _, one := range cases {
		for _, change := range one.Changes() {
			if beyondOneObject(change) != "" {
				continue
			}
			total++
			if d := stepDifference(t, kinds, change); d != "" {
				t.Errorf("%s step %d: %s", change.Case, change.Step, d)
			}
		}
	}
	t.Logf("%d changes", total)
	if total < least {
		t.Errorf("there are only %d recorded changes", total)
	}
}

func stepDifference(t *testing.T, kinds *schema.Registry, c conformance.Change) string {
	req, ok := inprocess.ClusterRequest(c.Request)
	if !ok || req == nil {
		return ""
	}
	var live document.Value
	if c.Before != nil {
		doc, err := document.Parse(c.Before, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		live = doc.Root
	}
	at, err := time.Parse(time.RFC3339, conformance.ChangeTime)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := cluster.Step(cluster.Config{Kinds: kinds, Now: func() time.Time { return at }}, live, req)
	var st *cluster.Status
	switch {
	case errors.As(err, &st):
		return c.Difference(conformance.Answer{Code: st.Code, Body: st.Object().JSON()})
	case err != nil:
		return err.Error()
	}
	if want, ok := c.Want.Body.(map[string]any); ok {
		if metadata, ok := want["metadata"].(map[string]any); ok {
			delete(metadata, "resourceVersion")
		}
	}
	return c.Difference(conformance.Answer{Code: resp.Code, Warnings: inprocess.WarningHeaders(resp.Warnings),
		Body: resp.Object.Remove("metadata", "resourceVersion").JSON()})
}
