package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// fake is a cluster that records its requests and returns configured responses.
type fake struct {
	registry *schema.Registry
	asked    []*cluster.Request
	answer   func(context.Context, *cluster.Request) (*cluster.Response, error)
}

func (f *fake) CatchUp(context.Context) error { return nil }

func (f *fake) Kinds() *schema.Registry { return f.registry }

func (f *fake) Authenticate(context.Context, string, ...string) (cluster.User, []string, error) {
	return cluster.User{}, nil, errors.New("the fake has issued no tokens")
}

func (f *fake) Do(ctx context.Context, r *cluster.Request) (*cluster.Response, error) {
	f.asked = append(f.asked, r)
	if f.answer != nil {
		return f.answer(ctx, r)
	}
	return &cluster.Response{Code: 200, Object: object("kind", text("ConfigMap"), "apiVersion", text("v1"))}, nil
}

func (f *fake) Read(ctx context.Context, r *cluster.Request) (*cluster.Reading, error) {
	response, err := f.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	return &cluster.Reading{Value: response.Object, Events: response.Events, Warnings: response.Warnings}, nil
}

func newFake(t testing.TB) *fake {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	r := schema.NewRegistry(catalog)
	gadget := schema.NewKind(schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Gadget"}, schema.Deduced())
	gadget.Resource, gadget.Singular, gadget.ListKind, gadget.Namespaced = "gadgets", "gadget", "GadgetList", true
	gadget.Verbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	gadget.Status = true
	gadget.Subresources = []schema.Subresource{{Name: "status", Kind: gadget.GroupVersionKind, Verbs: []string{"get", "patch", "update"}}}
	r.Add(gadget)
	return &fake{registry: r}
}

// ask sends a request to a handler. headers alternates names and values.
func ask(s http.Handler, method, url, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, url, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func body(t testing.TB, w *httptest.ResponseRecorder) document.Value {
	t.Helper()
	d, err := document.Parse(w.Body.Bytes(), document.Options{MaxBytes: -1})
	if err != nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return d.Root
}

func fixedClock() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
