package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// comparedWatches compares the watches of some cases on servers that differ in the responses of one. On a busy machine,
// the watches have to last longer than the requests take.
func comparedWatches(t *testing.T, cases int, change func(conformance.Request, *conformance.Answer)) *report {
	t.Helper()
	for seconds := 2; ; seconds *= 3 {
		r, err := compareWatches(&options{seed: 7, cases: cases, seconds: seconds}, servers(t, change))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.notes) == 0 {
			return r
		}
		if seconds > 60 {
			t.Fatalf("not compared: %v", r.notes)
		}
	}
}

// TestWatchesThatEndTooEarly: cases are not compared if their watches end before the requests.
func TestWatchesThatEndTooEarly(t *testing.T) {
	r, err := compareWatches(&options{seed: 7, cases: 1, seconds: 1}, servers(t, func(r conformance.Request, _ *conformance.Answer) {
		if r.Method == "PUT" {
			time.Sleep(time.Second)
		}
	}))
	if err != nil || len(r.notes) != 1 || r.total() != (counts{}) {
		t.Errorf("%s, not compared: %v (%v)", r.total(), r.notes, err)
	}
}

// TestWatches: the same servers agree about watches in each form; an event of another type, a missing event and
// another object in one are differences.
func TestWatches(t *testing.T) {
	r := comparedWatches(t, 8, nil)
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
			r := comparedWatches(t, 4, func(r conformance.Request, a *conformance.Answer) {
				if strings.Contains(r.Query, "watch=") && a.Code == 200 && bytes.HasPrefix(a.Body, []byte("{")) {
					a.Body = change(a.Body)
				}
			})
			if len(r.kinds) == 0 {
				t.Error("no difference was found")
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
