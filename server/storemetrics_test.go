package server

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/store"
)

func TestStoreMetrics(t *testing.T) {
	m := &StoreMetrics{Revision: func(context.Context) (int64, error) { return 42, nil }, Restarts: func() int64 { return 3 }}
	m.Observe(store.Call{Operation: "update", Took: time.Millisecond, Retries: 2})
	m.Observe(store.Call{Operation: "get", Took: time.Second, Unavailable: true})
	s := local(t, Options{Store: m})
	page := ask(s, "GET", "/metrics", "").Body.String()
	for _, want := range []string{
		`patchlab_store_duration_seconds_bucket{operation="update",le="0.0016"} 1`, `patchlab_store_duration_seconds_count{operation="get"} 1`,
		"patchlab_store_retries_total 2", `patchlab_store_unavailable_total{operation="get"} 1`,
		"patchlab_store_watch_restarts_total 3", "patchlab_store_revision 42",
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, page)
		}
	}
	m.Revision = func(context.Context) (int64, error) { return 0, errors.New("etcd is gone") }
	if page := ask(s, "GET", "/metrics", "").Body.String(); strings.Contains(page, "patchlab_store_revision") || !strings.Contains(page, "retries_total 2") {
		t.Errorf("without etcd:\n%s", page)
	}
}
