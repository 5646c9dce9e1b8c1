package server

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/store"
)

// StoreMetrics counts the calls of a store for /metrics. The zero value is ready to use: pass
// its Observe method to [store.Observe], and the StoreMetrics to [Options].
type StoreMetrics struct {
	// Revision and Restarts, if not nil, are called for each request to /metrics. They return
	// the store's current revision and the number of watches of it that had to be restarted.
	Revision func(context.Context) (int64, error)
	Restarts func() int64

	mu      sync.Mutex
	seconds map[string]*histogram // by operation
	errors  map[string]uint64
	retries uint64
}

// Observe counts a call.
func (m *StoreMetrics) Observe(c store.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seconds == nil {
		m.seconds, m.errors = map[string]*histogram{}, map[string]uint64{}
	}
	h := m.seconds[c.Operation]
	if h == nil {
		h = &histogram{}
		m.seconds[c.Operation] = h
	}
	h.observe(c.Took)
	m.retries += uint64(c.Retries)
	if c.Unavailable {
		m.errors[c.Operation]++
	}
}

// revisionTime is the time limit of the call of Revision.
const revisionTime = time.Second

func (m *StoreMetrics) write(ctx context.Context, b *bytes.Buffer) {
	m.mu.Lock()
	title(b, "patchlab_store_duration_seconds", "histogram", "Duration of store calls by operation; compact counts compactions.")
	for _, op := range slices.Sorted(maps.Keys(m.seconds)) {
		m.seconds[op].write(b, "patchlab_store_duration_seconds", fmt.Sprintf("operation=%q", op))
	}
	title(b, "patchlab_store_retries_total", "counter", "Writes that were retried because of a concurrent write.")
	fmt.Fprintf(b, "patchlab_store_retries_total %d\n", m.retries)
	title(b, "patchlab_store_unavailable_total", "counter", "Store calls that failed because the underlying storage did not respond, by operation.")
	for _, op := range slices.Sorted(maps.Keys(m.errors)) {
		fmt.Fprintf(b, "patchlab_store_unavailable_total{operation=%q} %d\n", op, m.errors[op])
	}
	m.mu.Unlock()
	if m.Restarts != nil {
		title(b, "patchlab_store_watch_restarts_total", "counter", "Watches of the underlying storage that were restarted.")
		fmt.Fprintf(b, "patchlab_store_watch_restarts_total %d\n", m.Restarts())
	}
	if m.Revision == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, revisionTime)
	defer cancel()
	if revision, err := m.Revision(ctx); err == nil {
		title(b, "patchlab_store_revision", "gauge", "Current revision of the store.")
		fmt.Fprintf(b, "patchlab_store_revision %d\n", revision)
	}
}
