package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// TestWatches: the same servers agree about watches in each form; an event of another type, a missing event and
// another object in one are differences.
func TestWatches(t *testing.T) {
	o := &options{seed: 7, cases: 8, seconds: 2}
	r, err := compareWatches(o, servers(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); len(r.kinds) > 0 || total.accepted < 150 || r.events < 100 {
		t.Errorf("%s, %d events; differences: %v", total, r.events, r.kinds)
	}
	for _, form := range []string{"watch", "watch Table", "watch protobuf", "watch PartialObjectMetadata", "watch protobuf PartialObjectMetadata", "get protobuf"} {
		if r.groups[form] == nil || r.groups[form].accepted == 0 {
			t.Errorf("no %s", form)
		}
	}
	for name, change := range map[string]func([]byte) []byte{
		"another type":   func(body []byte) []byte { return bytes.Replace(body, []byte(`"MODIFIED"`), []byte(`"ADDED"`), 1) },
		"another object": func(body []byte) []byte { return bytes.Replace(body, []byte(`"name":"a"`), []byte(`"name":"d"`), 1) },
		"a missing event": func(body []byte) []byte {
			_, rest, _ := bytes.Cut(body, []byte("\n"))
			return rest
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := compareWatches(&options{seed: 7, cases: 4, seconds: 2}, servers(t, func(r conformance.Request, a *conformance.Answer) {
				if strings.Contains(r.Query, "watch=") && a.Code == 200 && bytes.HasPrefix(a.Body, []byte("{")) {
					a.Body = change(a.Body)
				}
			}))
			if err != nil || len(r.kinds) == 0 {
				t.Errorf("no difference was found (%v)", err)
			}
		})
	}
}

// TestEventsOfStream: bookmarks are left out, except for that after the initial events, whose resourceVersion is not compared.
func TestEventsOfStream(t *testing.T) {
	start, err := newSessions()
	if err != nil {
		t.Fatal(err)
	}
	const stream = `{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}}
{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}
{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}
`
	got, err := start(nil).events([]byte(stream))
	want := `[{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}},{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, want %s (%v)", got, want, err)
	}
}
