package admission_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
	"github.com/patchlab-dev/patchlab/server"
)

// connection is a line of a file: a request, many of them for a stream of a container or to proxy, what
// kube-apiserver 1.36.3 answered, and the reviews that it sent to webhooks.
type connection struct {
	Name, Method, Path, Body string

	Code     int
	Status   map[string]any // nil if the response is no Status, or has no body
	Warnings []string
	Reviews  []hooks.Review
}

// TestConnect sends requests for streams, and to proxy, to a server with policies and webhooks for the operation CONNECT.
func TestConnect(t *testing.T) {
	for _, name := range []string{"connect", "connectproxy"} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open("../testdata/admission/" + name + ".jsonl.gz")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			unzipped, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			webhooks := startHooks(t)
			c := newCluster(t, admission.Options{})
			s := server.New(c, server.Options{User: cluster.User{Name: "admin", Groups: []string{"system:masters", "system:authenticated"}}})
			lines := json.NewDecoder(unzipped)
			for {
				var want connection
				if err := lines.Decode(&want); err == io.EOF {
					return
				} else if err != nil {
					t.Fatal(err)
				}
				want.compare(t, s, webhooks)
			}
		})
	}
}

func (want *connection) compare(t *testing.T, s http.Handler, webhooks hooks.Caller) {
	t.Helper()
	webhooks.Take()
	r := httptest.NewRequest(want.Method, want.Path, strings.NewReader(webhooks.Fill(want.Body)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != want.Code {
		t.Errorf("%s: %s %s: %d, want %d: %s", want.Name, want.Method, want.Path, w.Code, want.Code, w.Body)
	}
	if want.Status != nil {
		var got map[string]any
		if err := json.Unmarshal([]byte(webhooks.Name(w.Body.String())), &got); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"kind", "apiVersion", "metadata"} {
			delete(got, key)
		}
		if !reflect.DeepEqual(got, want.Status) {
			t.Errorf("%s: %s %s:\ngot  %v\nwant %v", want.Name, want.Method, want.Path, got, want.Status)
		}
	}
	if got := w.Header().Values("Warning"); strings.Join(got, "\n") != strings.Join(want.Warnings, "\n") {
		t.Errorf("%s: %s %s: warnings %q, want %q", want.Name, want.Method, want.Path, got, want.Warnings)
	}
	got := webhooks.Take()
	for _, r := range got {
		request := r.Review["request"].(map[string]any)
		delete(request, "uid")
		delete(request, "userInfo")
	}
	if a, b := jsonOf(t, got), jsonOf(t, want.Reviews); a != b {
		t.Errorf("%s: %s %s: reviews\n%s, want\n%s", want.Name, want.Method, want.Path, a, b)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
