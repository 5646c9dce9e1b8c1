package server

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
)

// live starts a server on a real port, with the recordings' CRDs and no objects.
func live(t testing.TB, now func() time.Time) *httptest.Server {
	t.Helper()
	c, err := cluster.New(cluster.Config{Now: now, Addresses: true}) // as 'patchlab serve' does
	if err != nil {
		t.Fatal(err)
	}
	s := conformance.Serve(t, New(c, Options{Now: now, User: inprocess.Recorder}), c.Close)
	send := conformance.HTTP(s.URL, "", s.Client())
	if err := conformance.Install(send, "../testdata/crds"); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestConformance replays every recorded case over HTTP. The environment variable
// CONFORMANCE selects cases whose name contains it.
func TestConformance(t *testing.T) {
	cases, err := conformance.Recorded("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		cases = conformance.Sample(cases, 10)
	}
	lanes := make([]conformance.Lane, 8)
	for i := range lanes {
		clock := conformance.NewClock()
		s := live(t, clock.Now)
		lanes[i] = conformance.NewLane(clock, conformance.HTTP(s.URL, "", s.Client()))
	}
	var report conformance.Report
	for i, o := range conformance.RunParallel(cases, lanes) {
		report.Add(cases[i], o.Agreed)
		if o.Differs != "" {
			t.Errorf("%s: %s", cases[i].Name, o.Differs)
		}
	}
	t.Logf("answers as recorded:\n%s", report.String())
}
