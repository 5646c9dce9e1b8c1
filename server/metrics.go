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

// metrics are the metrics of one server, which /metrics serves in Prometheus' text format.
// They are implemented here because they are few, and Prometheus' library would add 2.5 MB to
// the memory of every run of the command (doc/performance.md).
type metrics struct {
	watches, events, panics atomic.Int64

	mu        sync.Mutex
	requests  map[requestKind]uint64
	seconds   map[requestKind]*histogram // by kind, with code 0
	conflicts map[conflictKind]uint64
}

// requestKind holds the labels of request metrics. For a request to an unknown resource, group
// and resource are empty and verb is the HTTP method.
type requestKind struct {
	verb, group, resource string
	code                  int
}

// conflictKind holds the labels of the metric for conflicts.
type conflictKind struct{ verb, group, resource, reason string }

// bounds are the upper bounds of a histogram's buckets in seconds. Each is four times the
// previous one.
var bounds = [...]float64{0.0001, 0.0004, 0.0016, 0.0064, 0.0256, 0.1024, 0.4096, 1.6384, 6.5536}

// histogram counts durations by bucket; the last bucket has no upper bound.
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

// observe counts a response. The duration of a watch depends on its client and is not
// observed.
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

// conflictReason returns whether a conflict is one of field managers or of resourceVersions,
// or "" for any other failure.
func conflictReason(st *cluster.Status) string {
	if st.Code != http.StatusConflict || st.Reason != cluster.ReasonConflict {
		return ""
	}
	if st.Details != nil && len(st.Details.Causes) > 0 && st.Details.Causes[0].Type == "FieldManagerConflict" {
		return "field_manager"
	}
	return "version"
}

// metricsPage serves /metrics.
func (s *Server) metricsPage(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	s.metrics.write(&b)
	if s.options.Store != nil {
		s.options.Store.write(r.Context(), &b)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores")
	_, _ = w.Write(b.Bytes())
}

// title writes the HELP and TYPE lines of a metric.
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
	title(b, "patchlab_panics_total", "counter", "Requests that caused an internal error.")
	fmt.Fprintf(b, "patchlab_panics_total %d\n", m.panics.Load())
	title(b, "patchlab_request_duration_seconds", "histogram", "Response time by resource and verb, excluding watches.")
	for _, k := range slices.SortedFunc(maps.Keys(m.seconds), compareKinds) {
		m.seconds[k].write(b, "patchlab_request_duration_seconds", fmt.Sprintf("group=%q,resource=%q,verb=%q", k.group, k.resource, k.verb))
	}
	title(b, "patchlab_requests_total", "counter", "Answered requests by resource, verb and code.")
	for _, k := range slices.SortedFunc(maps.Keys(m.requests), compareKinds) {
		fmt.Fprintf(b, "patchlab_requests_total{code=\"%d\",group=%q,resource=%q,verb=%q} %d\n", k.code, k.group, k.resource, k.verb, m.requests[k])
	}
	title(b, "patchlab_watch_events_total", "counter", "Events sent to watches.")
	fmt.Fprintf(b, "patchlab_watch_events_total %d\n", m.events.Load())
	title(b, "patchlab_watches", "gauge", "Open watches.")
	fmt.Fprintf(b, "patchlab_watches %d\n", m.watches.Load())
}

func compareKinds(x, y requestKind) int {
	return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.resource, y.resource), cmp.Compare(x.verb, y.verb), cmp.Compare(x.code, y.code))
}

// write writes a histogram. Its buckets are cumulative.
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

// knownMethod returns the method, or a fixed text for an unknown one, so that clients cannot
// create new label values.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return strings.ToLower(method)
	}
	return "other"
}
