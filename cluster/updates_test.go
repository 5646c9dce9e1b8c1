package cluster_test

import (
	"bytes"
	_ "embed"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

//go:embed testdata/updates.jsonl
var updates []byte

// TestRecordedUpdates sends the requests in testdata/updates.jsonl in their order and compares the
// code, the causes and the shown fields of the responses with those of kube-apiserver 1.36.3
// without admission plugins.
func TestRecordedUpdates(t *testing.T) {
	q := newRequests(t, cluster.Config{UID: func() string { return "UID" }})
	for line := range bytes.Lines(updates) {
		d, err := document.Parse(line, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := d.Root
		address, err := url.Parse(c.Get("path").StringOr(""))
		if err != nil {
			t.Fatal(err)
		}
		verb := map[string]cluster.Verb{"GET": cluster.Get, "POST": cluster.Create, "PUT": cluster.Update, "PATCH": cluster.Patch}[c.Get("method").StringOr("")]
		var body string
		if c.Get("body").Exists() {
			body = c.Get("body").String()
		}
		response, st := q.do(verb, address.Path, body, func(r *cluster.Request) {
			r.Options = cluster.Options{FieldManager: address.Query().Get("fieldManager"), DryRun: address.Query()["dryRun"]}
			switch c.Get("type").StringOr("") {
			case "apply":
				r.Format = cluster.ApplyPatch
			case "strategic":
				r.Format = cluster.StrategicPatch
			}
		})
		code, object := 0, document.Value{}
		var causes []string
		if st != nil {
			code, object = st.Code, document.NewObject().With("message", document.NewString(st.Message))
			causes = causesOf(st)
		} else {
			code, object = response.Code, response.Object
		}
		var wanted []string
		for _, cause := range c.Get("causes").Items() {
			wanted = append(wanted, cause.StringOr(""))
		}
		reason := c.Get("reason").StringOr("")
		if want, _ := c.Get("code").Int(); int64(code) != want || !slices.Equal(causes, wanted) {
			t.Errorf("%s: %d %q, want %d %q: %s", reason, code, causes, want, wanted, object)
		}
		for path, want := range c.Get("shown").Members() {
			got := object
			for name := range strings.SplitSeq(path, ".") {
				if i, err := strconv.Atoi(name); err == nil && i < got.Len() && got.Kind() == document.List {
					got = got.At(i)
				} else {
					got = got.Get(name)
				}
			}
			if want.IsNull() && !got.Exists() {
				continue
			}
			if !document.Equal(got, want) {
				t.Errorf("%s: %s is %s, want %s", reason, path, got, want)
			}
		}
	}
}
