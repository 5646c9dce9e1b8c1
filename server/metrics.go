package server

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// metrics are what /metrics shows, in Prometheus' text format. Every server has
// its own. They are few, and Prometheus' library would add 2.5 MB to the memory
// of every run of the command (doc/performance.md), so they are counted here.
type metrics struct {
	watches, panics atomic.Int64

	mu       sync.Mutex
	requests map[requestKind]uint64
	seconds  map[string]*histogram // by method
}

type requestKind struct {
	method string
	code   int
}

// bounds are the upper bounds of a histogram's buckets in seconds: 0.1 ms, and
// then four times the one before.
var bounds = [...]float64{0.0001, 0.0004, 0.0016, 0.0064, 0.0256, 0.1024, 0.4096, 1.6384, 6.5536}

// histogram counts durations by the first bound that they do not exceed; the last
// bucket has none.
type histogram struct {
	buckets [len(bounds) + 1]uint64
	sum     float64
}

func newMetrics() *metrics {
	return &metrics{requests: map[requestKind]uint64{}, seconds: map[string]*histogram{}}
}

// observe counts an answer; the duration of a watch tells nothing.
func (m *metrics) observe(r *http.Request, code int, took time.Duration) {
	method := knownMethod(r.Method)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[requestKind{method, code}]++
	if isWatch(r) {
		return
	}
	h := m.seconds[method]
	if h == nil {
		h = &histogram{}
		m.seconds[method] = h
	}
	at, _ := slices.BinarySearch(bounds[:], took.Seconds())
	h.buckets[at]++
	h.sum += took.Seconds()
}

// ServeHTTP answers with the page.
func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(m.page())
}

func (m *metrics) page() []byte {
	var b bytes.Buffer
	title := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %[1]s %[3]s\n# TYPE %[1]s %[2]s\n", name, kind, help)
	}
	title("patchlab_panics_total", "counter", "Requests that ended in a fault of the server.")
	fmt.Fprintf(&b, "patchlab_panics_total %d\n", m.panics.Load())
	m.mu.Lock()
	defer m.mu.Unlock()
	title("patchlab_request_duration_seconds", "histogram", "Time to answer, by method; watches are not in it.")
	for _, method := range slices.Sorted(maps.Keys(m.seconds)) {
		m.seconds[method].write(&b, method)
	}
	title("patchlab_requests_total", "counter", "Requests answered, by method and code.")
	byCode := func(x, y requestKind) int {
		return cmp.Or(cmp.Compare(x.code, y.code), cmp.Compare(x.method, y.method))
	}
	for _, k := range slices.SortedFunc(maps.Keys(m.requests), byCode) {
		fmt.Fprintf(&b, "patchlab_requests_total{code=\"%d\",method=%q} %d\n", k.code, k.method, m.requests[k])
	}
	title("patchlab_watches", "gauge", "Watches that are open.")
	fmt.Fprintf(&b, "patchlab_watches %d\n", m.watches.Load())
	return b.Bytes()
}

// write writes the histogram of a method: each bucket counts those before it too.
func (h *histogram) write(b *bytes.Buffer, method string) {
	const name = "patchlab_request_duration_seconds"
	total := uint64(0)
	for i, n := range h.buckets {
		total += n
		bound := "+Inf"
		if i < len(bounds) {
			bound = strconv.FormatFloat(bounds[i], 'g', -1, 64)
		}
		fmt.Fprintf(b, "%s_bucket{method=%q,le=%q} %d\n", name, method, bound, total)
	}
	fmt.Fprintf(b, "%s_sum{method=%q} %g\n%s_count{method=%q} %d\n", name, method, h.sum, name, method, total)
}

// knownMethod keeps clients from making up label values.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return method
	}
	return "other"
}
