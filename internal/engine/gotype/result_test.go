package gotype

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestResults quotes the results of patches that kube-apiserver 1.36.3 refused, for live objects in its own JSON.
func TestResults(t *testing.T) {
	f, err := os.Open("testdata/patched.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(z); d.More(); {
		var c struct{ Name, ContentType, Live, Patch, Want string }
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			live, ops := parsed(t, c.Live), parsed(t, c.Patch)
			gvk := schema.GroupVersionKind{Kind: live.Get("kind").StringOr("")}
			gvk.Group, gvk.Version, _ = strings.Cut(live.Get("apiVersion").StringOr(""), "/")
			if gvk.Version == "" {
				gvk.Group, gvk.Version = "", gvk.Group
			}
			k, ok := catalog.Kind(gvk)
			if !ok {
				k = schema.NewKind(gvk, schema.AnyObject())
			}
			e := &cluster.ResultError{Live: live, Kind: k, Patch: []byte(c.Patch), Format: cluster.JSONPatch}
			apply := patch.JSON
			if strings.Contains(c.ContentType, "merge") {
				e.Format, apply = cluster.MergePatch, patch.Merge
			}
			result, err := apply(live, ops, patch.Options{})
			if err != nil {
				t.Fatal(err)
			}
			e.Result = result.String()
			if got := requoted("before "+strconv.Quote(e.Result)+": after", e); got != "before "+c.Want+": after" {
				t.Errorf("patch %s\ngot  %s\nwant %s", c.Patch, got, c.Want)
			}
		})
	}
}

func parsed(t *testing.T, text string) document.Value {
	t.Helper()
	doc, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}
