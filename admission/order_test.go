package admission_test

import (
	"bytes"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// causeOrders has objects with faults inside and outside their expressions, and the causes for which
// kube-apiserver 1.36.3 refuses them, in its order.
//
//go:embed testdata/causeorder.jsonl
var causeOrders []byte

func TestOrderOfCausesWithExpressions(t *testing.T) {
	c := newCluster(t, admission.Options{})
	for line := range bytes.Lines(causeOrders) {
		d, err := document.Parse(line, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := strings.Split(d.Root.Get("path").StringOr(""), "/") // /apis/GROUP/VERSION[/namespaces/NAMESPACE]/RESOURCE
		r := &cluster.Request{Verb: cluster.Create, Group: path[2], Version: path[3], Resource: path[len(path)-1], Body: d.Root.Get("object").JSON()}
		if len(path) > 5 {
			r.Namespace = path[5]
		}
		_, err = c.Do(t.Context(), r)
		var st *cluster.Status
		if !errors.As(err, &st) || st.Details == nil {
			t.Errorf("%s is not refused with causes: %v", r.Body, err)
			continue
		}
		var got []string
		for _, cause := range st.Details.Causes {
			got = append(got, strings.TrimPrefix(cause.Type, "FieldValue")+" "+cause.Field)
		}
		if want := d.Root.Get("causes").Strings(); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", r.Body, got, want)
		}
	}
}
