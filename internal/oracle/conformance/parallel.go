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

// Clock is a clock that advances only when a case waits, so that no second boundary falls
// within a case.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock with the current time.
func NewClock() *Clock { return &Clock{now: time.Now().UTC()} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep advances the clock.
func (c *Clock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Recorded returns the cases in the directories conformance and more of the repository's
// testdata. The environment variable CONFORMANCE selects cases by a part of their name.
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

// Serve starts a server that is closed at the end of the test. end is called last.
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

// Lane is a server with its own clock. A list's resourceVersion depends on every write to a
// server, so concurrent cases need separate servers.
type Lane struct {
	Runner Runner
	Send   Send
}

// NewLane returns the lane for a server that uses the clock.
func NewLane(clock *Clock, send Send) Lane {
	return Lane{Runner{Now: clock.Now, Sleep: clock.Sleep}, send}
}

// Outcome is the result of [Runner.Run] for a case.
type Outcome struct {
	Agreed  int
	Differs string
}

// RunParallel distributes cases over lanes, because most of the time is spent waiting for
// watch events that must not occur. Outcomes are in the order of the cases.
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
