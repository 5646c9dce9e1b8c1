package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestProbe: the status of a component is the answer of its health check, in the words of kube-apiserver.
func TestProbe(t *testing.T) {
	for path, want := range map[string]struct {
		healthy bool
		message string
	}{
		"/healthz": {true, "ok"},
		"/failing": {false, "HTTP probe failed with statuscode: 500"},
	} {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/failing" {
				w.WriteHeader(http.StatusInternalServerError)
			}
			_, _ = w.Write([]byte("ok"))
		}))
		if healthy, message := probe(t.Context(), s.Client(), s.URL+path); healthy != want.healthy || message != want.message {
			t.Errorf("%s: %t %q", path, healthy, message)
		}
		s.Close()
		if healthy, message := probe(t.Context(), s.Client(), s.URL+path); healthy || message == "" {
			t.Errorf("%s of a server that has ended: %t %q", path, healthy, message)
		}
	}
}

// TestComponentStatusOfAStoreThatFails: etcd-0 is the store.
func TestComponentStatusOfAStoreThatFails(t *testing.T) {
	statuses := ComponentStatuses(func(context.Context) error { return errors.New("context deadline exceeded") })(t.Context(), "etcd-0")
	const want = `[{"message":"context deadline exceeded","status":"False","type":"Healthy"}]`
	if len(statuses) != 1 || statuses[0].Get("conditions").String() != want {
		t.Errorf("%v, want %s", statuses, want)
	}
}
