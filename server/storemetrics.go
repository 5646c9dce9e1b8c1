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

// StoreMetrics counts the calls of a store for /metrics. Its zero value is ready:
// give its Observe to [store.Observe], and the StoreMetrics to [Options].
type StoreMetrics struct {
	// Revision and Restarts, where they are not nil, are asked when the page is:
	// the store's revision, and how often a watch of it had to begin anew.
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

// revisionTime bounds the wait for the revision.
const revisionTime = time.Second

func (m *StoreMetrics) write(ctx context.Context, b *bytes.Buffer) {
	m.mu.Lock()
	title(b, "patchlab_store_duration_seconds", "histogram", "Time of calls of the store, by operation; compact counts the compactions.")
	for _, op := range slices.Sorted(maps.Keys(m.seconds)) {
		m.seconds[op].write(b, "patchlab_store_duration_seconds", fmt.Sprintf("operation=%q", op))
	}
	title(b, "patchlab_store_retries_total", "counter", "Writes that were made again because another one came between.")
	fmt.Fprintf(b, "patchlab_store_retries_total %d\n", m.retries)
	title(b, "patchlab_store_unavailable_total", "counter", "Calls that the storage beneath did not answer, by operation.")
	for _, op := range slices.Sorted(maps.Keys(m.errors)) {
		fmt.Fprintf(b, "patchlab_store_unavailable_total{operation=%q} %d\n", op, m.errors[op])
	}
	m.mu.Unlock()
	if m.Restarts != nil {
		title(b, "patchlab_store_watch_restarts_total", "counter", "Watches of the storage beneath that had to begin anew.")
		fmt.Fprintf(b, "patchlab_store_watch_restarts_total %d\n", m.Restarts())
	}
	if m.Revision == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, revisionTime)
	defer cancel()
	if revision, err := m.Revision(ctx); err == nil {
		title(b, "patchlab_store_revision", "gauge", "The store's revision.")
		fmt.Fprintf(b, "patchlab_store_revision %d\n", revision)
	}
}
