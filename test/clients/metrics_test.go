package clients

import (
	"net/http"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// TestPrometheusParsesMetrics parses the server's metrics with Prometheus'
// parser.
func TestPrometheusParsesMetrics(t *testing.T) {
	s, err := patchlabtest.New(patchlabtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	client, err := rest.HTTPClientFor(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) *http.Response {
		r, err := client.Get(s.Config().Host + path)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	_ = get("/api/v1/nodes").Body.Close()
	page := get("/metrics")
	defer page.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(page.Body)
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]string{"patchlab_requests_total": "COUNTER", "patchlab_request_duration_seconds": "HISTOGRAM",
		"patchlab_watches": "GAUGE", "patchlab_panics_total": "COUNTER"} {
		if f := families[name]; f == nil || f.GetType().String() != kind || len(f.GetMetric()) == 0 {
			t.Errorf("%s: %v", name, f)
		}
	}
	h := families["patchlab_request_duration_seconds"].GetMetric()[0].GetHistogram()
	if n := len(h.GetBucket()); h.GetSampleCount() == 0 || n != 10 || h.GetBucket()[n-1].GetCumulativeCount() != h.GetSampleCount() {
		t.Errorf("the histogram is %v", h)
	}
}
