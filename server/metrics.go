package server

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// metrics are what /metrics shows, in Prometheus' text format. Every server has
// its own. They are few, and Prometheus' library would add 2.5 MB to the memory
// of every run of the command (doc/performance.md), so they are counted here.
type metrics struct {
	watches, events, panics atomic.Int64

	mu        sync.Mutex
	requests  map[requestKind]uint64
	seconds   map[requestKind]*histogram // with code 0
	conflicts map[conflictKind]uint64
}

// requestKind is what requests are counted by. Of a request for no resource that
// is served, group and resource are empty and the verb is the method.
type requestKind struct {
	verb, group, resource string
	code                  int
}

// conflictKind is what conflicts are counted by.
type conflictKind struct{ verb, group, resource, reason string }

// bounds are the upper bounds of a histogram's buckets in seconds: 0.1 ms, and
// then four times the one before.
var bounds = [...]float64{0.0001, 0.0004, 0.0016, 0.0064, 0.0256, 0.1024, 0.4096, 1.6384, 6.5536}

// histogram counts durations by the first bound that they do not exceed; the last
// bucket has none.
type histogram struct {
	buckets [len(bounds) + 1]uint64
	sum     float64
}

func (h *histogram) observe(took time.Duration) {
	at, _ := slices.BinarySearch(bounds[:], took.Seconds())
	h.buckets[at]++
	h.sum += took.Seconds()
}

func newMetrics() *metrics {
	return &metrics{requests: map[requestKind]uint64{}, seconds: map[requestKind]*histogram{}, conflicts: map[conflictKind]uint64{}}
}

// observe counts an answer. The duration of a watch is its client's choice, and is
// not measured.
func (m *metrics) observe(w *writer, r *http.Request, took time.Duration) {
	k := w.kind
	if k.resource == "" {
		k.verb = knownMethod(r.Method)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k.code = w.code
	m.requests[k]++
	if w.conflict != "" {
		m.conflicts[conflictKind{k.verb, k.group, k.resource, w.conflict}]++
	}
	if isWatch(r) {
		return
	}
	k.code = 0
	h := m.seconds[k]
	if h == nil {
		h = &histogram{}
		m.seconds[k] = h
	}
	h.observe(took)
}

// conflictReason returns the kind of a conflict, "" for any other failure: the
// field manager is another one, or the object is at another version.
func conflictReason(st *cluster.Status) string {
	if st.Code != http.StatusConflict || st.Reason != cluster.ReasonConflict {
		return ""
	}
	if st.Details != nil && len(st.Details.Causes) > 0 && st.Details.Causes[0].Type == "FieldManagerConflict" {
		return "field_manager"
	}
	return "version"
}

// metricsPage answers with the page.
func (s *Server) metricsPage(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	s.metrics.write(&b)
	if s.options.Store != nil {
		s.options.Store.write(r.Context(), &b)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(b.Bytes())
}

// title writes what comes before the samples of a metric.
func title(b *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %[1]s %[3]s\n# TYPE %[1]s %[2]s\n", name, kind, help)
}

func (m *metrics) write(b *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	title(b, "patchlab_conflicts_total", "counter", "Writes refused with a conflict, by resource, verb and reason: the version is stale, or another field manager owns a field.")
	for _, k := range slices.SortedFunc(maps.Keys(m.conflicts), func(x, y conflictKind) int {
		return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.resource, y.resource), cmp.Compare(x.verb, y.verb), cmp.Compare(x.reason, y.reason))
	}) {
		fmt.Fprintf(b, "patchlab_conflicts_total{group=%q,reason=%q,resource=%q,verb=%q} %d\n", k.group, k.reason, k.resource, k.verb, m.conflicts[k])
	}
	title(b, "patchlab_panics_total", "counter", "Requests that ended in a fault of the server.")
	fmt.Fprintf(b, "patchlab_panics_total %d\n", m.panics.Load())
	title(b, "patchlab_request_duration_seconds", "histogram", "Time to answer, by resource and verb, watches left out.")
	for _, k := range slices.SortedFunc(maps.Keys(m.seconds), compareKinds) {
		m.seconds[k].write(b, "patchlab_request_duration_seconds", fmt.Sprintf("group=%q,resource=%q,verb=%q", k.group, k.resource, k.verb))
	}
	title(b, "patchlab_requests_total", "counter", "Requests answered, by resource, verb and code.")
	for _, k := range slices.SortedFunc(maps.Keys(m.requests), compareKinds) {
		fmt.Fprintf(b, "patchlab_requests_total{code=\"%d\",group=%q,resource=%q,verb=%q} %d\n", k.code, k.group, k.resource, k.verb, m.requests[k])
	}
	title(b, "patchlab_watch_events_total", "counter", "Events sent to watches.")
	fmt.Fprintf(b, "patchlab_watch_events_total %d\n", m.events.Load())
	title(b, "patchlab_watches", "gauge", "Watches that are open.")
	fmt.Fprintf(b, "patchlab_watches %d\n", m.watches.Load())
}

func compareKinds(x, y requestKind) int {
	return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.resource, y.resource), cmp.Compare(x.verb, y.verb), cmp.Compare(x.code, y.code))
}

// write writes a histogram: each bucket counts those before it, too.
func (h *histogram) write(b *bytes.Buffer, name, labels string) {
	total := uint64(0)
	for i, n := range h.buckets {
		total += n
		bound := "+Inf"
		if i < len(bounds) {
			bound = strconv.FormatFloat(bounds[i], 'g', -1, 64)
		}
		fmt.Fprintf(b, "%s_bucket{%s,le=%q} %d\n", name, labels, bound, total)
	}
	fmt.Fprintf(b, "%s_sum{%s} %g\n%s_count{%s} %d\n", name, labels, h.sum, name, labels, total)
}

// knownMethod keeps clients from making up label values.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return strings.ToLower(method)
	}
	return "other"
}
