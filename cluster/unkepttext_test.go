//go:build !js

package cluster_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestQuantitiesWithoutTheirText: an update that changes nothing in an atomic list takes it from its
// owners if it has a quantity whose text kube-apiserver's parser does not keep. Each case in
// testdata/unkepttext.jsonl has requests to one object, and after each the managers that own the field,
// as kube-apiserver 1.36.3 has them.
func TestQuantitiesWithoutTheirText(t *testing.T) {
	text, err := os.ReadFile("testdata/unkepttext.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	q := newRequests(t, cluster.Config{})
	for line := range strings.Lines(string(text)) {
		var c struct {
			Reason string
			Field  string // such as spec.metrics
			Steps  []struct {
				Method, Path, Format, Manager string
				DryRun                        bool
				Body                          json.RawMessage
				Want                          []string
				Same                          bool // the resourceVersion is that of the step before
			}
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		path := strings.Split("f:"+strings.ReplaceAll(c.Field, ".", " f:"), " ")
		version := ""
		for i, s := range c.Steps {
			verb := map[string]cluster.Verb{"POST": cluster.Create, "PUT": cluster.Update, "PATCH": cluster.Patch}[s.Method]
			response, st := q.do(verb, s.Path, string(s.Body), func(r *cluster.Request) {
				r.FieldManager = s.Manager
				if s.Format != "" {
					r.Format = map[string]cluster.Format{"json": cluster.JSONPatch, "strategic": cluster.StrategicPatch, "apply": cluster.ApplyPatch}[s.Format]
				}
				if s.DryRun {
					r.DryRun = []string{"All"}
				}
			})
			if st != nil {
				t.Errorf("%s, step %d: %v", c.Reason, i, st)
				break
			}
			var owners []string
			for _, e := range response.Object.Lookup("metadata", "managedFields").Items() {
				if e.Get("fieldsV1").Lookup(path...).Exists() {
					owners = append(owners, e.Get("manager").StringOr(""))
				}
			}
			if slices.Sort(owners); !slices.Equal(owners, s.Want) {
				t.Errorf("%s, step %d: %s is owned by %q, want %q", c.Reason, i, c.Field, owners, s.Want)
			}
			now := response.Object.Lookup("metadata", "resourceVersion").StringOr("")
			if (now == version) != s.Same {
				t.Errorf("%s, step %d: the resourceVersion is %s after %s", c.Reason, i, now, version)
			}
			version = now
		}
	}
}
