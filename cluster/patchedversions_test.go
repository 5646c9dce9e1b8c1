package cluster_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

//go:embed testdata/patchedversions.jsonl
var patchedVersions []byte

// A patchedVersion is a request, and what kube-apiserver 1.36.3 answers without admission
// plugins: the type of the object, its generation, warnings and the metrics of an autoscaler, or
// the code and the causes of the refusal. Patches are dry runs. OtherForm: the version is one of
// those that kube-apiserver decodes and this module refuses, because its objects have other
// fields.
type patchedVersion struct {
	Reason, Method, Path, Format string
	Body                         json.RawMessage
	Want                         string
	OtherForm                    bool
}

// TestPatchedVersions: the apiVersion and kind that a patch may give to an object. A JSON or merge
// patch may set a version that the API server can decode, although it does not serve it, and a
// strategic merge patch any text. A custom resource must have those of the endpoint.
func TestPatchedVersions(t *testing.T) {
	formats := map[string]cluster.Format{"merge": cluster.MergePatch, "json": cluster.JSONPatch, "strategic": cluster.StrategicPatch}
	q := newRequests(t, cluster.Config{})
	for line := range bytes.Lines(patchedVersions) {
		var c patchedVersion
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		verb, change := cluster.Create, options(cluster.Options{})
		if c.Method == "PATCH" {
			verb, change = cluster.Patch, func(r *cluster.Request) {
				r.Format, r.Options = formats[c.Format], cluster.Options{DryRun: []string{"All"}}
			}
		}
		var got string
		if response, st := q.do(verb, c.Path, string(c.Body), change); st != nil {
			got = refusalText(st)
			if st.Code == 500 {
				got = "500"
			}
		} else {
			o := response.Object
			got = o.Get("apiVersion").StringOr("") + " " + o.Get("kind").StringOr("") + " " + acceptanceText(response)
			if metrics := o.Lookup("spec", "metrics"); metrics.Exists() && c.Format != "" {
				got += " metrics " + metrics.String()
			}
		}
		want := c.Want
		if c.OtherForm {
			want = "422 Invalid:patch"
		}
		if got != want {
			t.Errorf("%s, %s: %s, want %s", strings.TrimSpace(c.Reason), c.Format, got, want)
		}
	}
}
