package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows. Every server has its own.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	watches  prometheus.Gauge
	panics   prometheus.Counter
	page     http.Handler
}

func newMetrics() *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "patchlab_requests_total", Help: "Requests answered, by method and code.",
		}, []string{"method", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "patchlab_request_duration_seconds", Help: "Time to answer, by method; watches are not in it.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 9),
		}, []string{"method"}),
		watches: prometheus.NewGauge(prometheus.GaugeOpts{Name: "patchlab_watches", Help: "Watches that are open."}),
		panics:  prometheus.NewCounter(prometheus.CounterOpts{Name: "patchlab_panics_total", Help: "Requests that ended in a fault of the server."}),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.seconds, m.watches, m.panics)
	m.page = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) observe(r *http.Request, code int, took time.Duration) {
	method := knownMethod(r.Method)
	m.requests.WithLabelValues(method, strconv.Itoa(code)).Inc()
	if !isWatch(r) {
		m.seconds.WithLabelValues(method).Observe(took.Seconds())
	}
}

// knownMethod keeps clients from making up label values.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return method
	}
	return "other"
}
