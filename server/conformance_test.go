package server

import (
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// recorder is who made the recordings.
var recorder = cluster.User{Name: "admin", UID: "00000000-0000-0000-0000-000000000001",
	Groups: []string{"system:masters", "system:authenticated"}}

// stillClock moves only when a case waits, so that no whole second ends within
// a case.
type stillClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stillClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stillClock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// live starts a server over an empty cluster with the recordings' custom
// resources, on a real port.
func live(t testing.TB, now func() time.Time) *httptest.Server {
	t.Helper()
	c, err := cluster.New(cluster.Config{Now: now, Addresses: true}) // as serve does
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(New(c, Options{Now: now, User: recorder}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		_ = c.Close()
	})
	send := conformance.HTTP(s.URL, "", s.Client())
	if err := conformance.Install(send, "../testdata/crds"); err != nil {
		t.Fatal(err)
	}
	return s
}

// lane is a server of its own with a clock of its own. What a list says of its
// resourceVersion depends on every write to a server, so cases that run at the
// same time need servers apart.
type lane struct {
	runner conformance.Runner
	send   conformance.Send
}

func newLane(t testing.TB) lane {
	clock := &stillClock{now: time.Now().UTC()}
	s := live(t, clock.Now)
	return lane{conformance.Runner{Now: clock.Now, Sleep: clock.Sleep}, conformance.HTTP(s.URL, "", s.Client())}
}

type outcome struct {
	agreed  int
	differs string
}

// runAll runs cases in lanes, as most of the time goes into watches that wait
// for what does not come.
func runAll(t testing.TB, cases []conformance.Case, lanes int) []outcome {
	out := make([]outcome, len(cases))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range lanes {
		l := newLane(t)
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cases); i = int(next.Add(1)) - 1 {
				out[i].agreed, out[i].differs = l.runner.Run(cases[i], l.send)
			}
		})
	}
	wg.Wait()
	return out
}

// Every recorded case over HTTP. The variable CONFORMANCE chooses cases by a
// part of their names.
func TestConformance(t *testing.T) {
	cases, err := conformance.ReadAll("../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	more, err := conformance.ReadAll("../testdata/more")
	if err != nil {
		t.Fatal(err)
	}
	cases = append(cases, more...)
	if testing.Short() {
		cases = conformance.Sample(cases, 10)
	}
	only := os.Getenv("CONFORMANCE")
	cases = slices.DeleteFunc(cases, func(c conformance.Case) bool { return !strings.Contains(c.Name, only) })
	var report conformance.Report
	for i, o := range runAll(t, cases, 8) {
		report.Add(cases[i], o.agreed)
		if o.differs != "" {
			t.Errorf("%s: %s", cases[i].Name, o.differs)
		}
	}
	t.Logf("answers as recorded:\n%s", report.String())
}
