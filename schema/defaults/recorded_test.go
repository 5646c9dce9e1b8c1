package defaults

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/schema"
)

// A creation is a recorded request that created an object of a built-in kind, and the
// object stored.
type creation struct {
	name         string
	kind         *schema.Kind
	sent, stored document.Value
}

var readRecordings = sync.OnceValues(func() ([]conformance.Case, error) {
	return conformance.ReadAll("../../testdata/conformance")
})

func recordings(t testing.TB) []conformance.Case {
	t.Helper()
	cases, err := readRecordings()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func builtin(t testing.TB) *schema.Catalog {
	t.Helper()
	c, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func kindOf(c *schema.Catalog, v document.Value) (*schema.Kind, bool) {
	group, version, _ := schema.SplitAPIVersion(v.Get("apiVersion").StringOr(""))
	return c.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: v.Get("kind").StringOr("")})
}

func answer(t testing.TB, r conformance.Response) document.Value {
	t.Helper()
	text, err := json.Marshal(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func parse(t testing.TB, text string) document.Value {
	t.Helper()
	o := document.Options{Duplicates: document.DuplicatesMerged}
	d, err := document.Parse([]byte(text), o)
	if err != nil {
		d, err = document.ParseYAML([]byte(text), o)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d.Root
}

// creations returns all recorded creations.
func creations(t testing.TB) []creation {
	t.Helper()
	catalog := builtin(t)
	var all []creation
	for _, c := range recordings(t) {
		for _, s := range c.Steps {
			r := s.Request
			whole := r.Method == "POST" || r.Method == "PUT" || strings.Contains(r.ContentType, "apply-patch")
			if s.Response.Code != 201 || !whole || strings.HasSuffix(r.Path, "/scale") {
				continue
			}
			stored := answer(t, s.Response)
			kind, ok := kindOf(catalog, stored)
			if !ok {
				continue
			}
			sent := parse(t, r.Body)
			for _, key := range [...]string{"name", "namespace"} {
				sent = sent.Set(stored.Lookup("metadata", key), "metadata", key)
			}
			// The recordings have placeholders for uids, and duplicate owners are removed
			// before the object is decoded.
			sent, stored = sent.Remove("metadata", "ownerReferences"), stored.Remove("metadata", "ownerReferences")
			all = append(all, creation{c.Name, kind, sent, stored})
		}
	}
	return all
}

// TestRecordedCreations: every recorded creation yields the recorded object except for
// fields that only the server sets.
func TestRecordedCreations(t *testing.T) {
	rules, err := For("")
	if err != nil {
		t.Fatal(err)
	}
	all := creations(t)
	if len(all) < 800 {
		t.Errorf("only %d creations", len(all))
	}
	for _, c := range all {
		filled, err := rules.Fill(c.kind, c.sent, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, want := WithoutOwned(c.kind, filled), WithoutOwned(c.kind, c.stored)
		if !document.Identical(got, want) {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.sent, got, want)
		}
	}
}
