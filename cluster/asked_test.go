package cluster_test

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

//go:embed testdata/asked.jsonl
var asked []byte

// TestRefusalsOfSmallObjects compares the responses for small objects with those of kube-apiserver 1.36.3: the
// same objects are refused, and no cause is reported that kube-apiserver does not report.
func TestRefusalsOfSmallObjects(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	for line := range bytes.Lines(asked) {
		d, err := document.Parse(line, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		body := d.Root.Get("object").String()
		_, st := q.do(cluster.Create, d.Root.Get("path").StringOr(""), body, options(cluster.Options{DryRun: []string{"All"}}))
		var causes []cluster.Cause
		if st != nil && st.Code != 422 {
			t.Errorf("%s: %s", body, st.Message)
			continue
		} else if st != nil {
			causes = st.Details.Causes
		}
		var wanted []string
		for _, c := range d.Root.Get("causes").Items() {
			wanted = append(wanted, c.StringOr(""))
		}
		for _, c := range causes {
			if got := strings.TrimPrefix(c.Type, "FieldValue") + " " + c.Field; !slices.Contains(wanted, got) {
				t.Errorf("%s:\ngot  %s %s\nwant %q", body, got, c.Message, wanted)
			}
		}
		if len(wanted) > 0 && len(causes) == 0 {
			t.Errorf("%s is accepted, want %q", body, wanted)
		}
	}
}
