package conformance

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Clock moves only when a case waits, so that no whole second ends within a case.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows the time at which it is made.
func NewClock() *Clock { return &Clock{now: time.Now().UTC()} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep moves the clock.
func (c *Clock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Recorded returns the cases of testdata/conformance and testdata/more, in a folder
// that is the repository's testdata. The environment variable CONFORMANCE chooses cases
// by a part of their names.
func Recorded(testdata string) ([]Case, error) {
	var all []Case
	for _, folder := range []string{"conformance", "more"} {
		cases, err := ReadAll(filepath.Join(testdata, folder))
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	only := os.Getenv("CONFORMANCE")
	return slices.DeleteFunc(all, func(c Case) bool { return !strings.Contains(c.Name, only) }), nil
}

// Serve starts a server that ends with the test. end is called last.
func Serve(t testing.TB, handler http.Handler, end func() error) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		_ = end()
	})
	return s
}

// A Lane is a server of its own with a clock of its own. A list's resourceVersion
// depends on every write to a server, so cases that run at the same time need servers
// apart.
type Lane struct {
	Runner Runner
	Send   Send
}

// NewLane returns the lane of a server that uses the clock.
func NewLane(clock *Clock, send Send) Lane {
	return Lane{Runner{Now: clock.Now, Sleep: clock.Sleep}, send}
}

// An Outcome is what [Runner.Run] returned for a case.
type Outcome struct {
	Agreed  int
	Differs string
}

// RunParallel runs cases in lanes, because most of the time is spent in watches that
// wait for events which do not come. Outcomes are in the order of the cases.
func RunParallel(cases []Case, lanes []Lane) []Outcome {
	out := make([]Outcome, len(cases))
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, l := range lanes {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cases); i = int(next.Add(1)) - 1 {
				out[i].Agreed, out[i].Differs = l.Runner.Run(cases[i], l.Send)
			}
		})
	}
	wg.Wait()
	return out
}
