// Package recordings sends what was recorded of kube-apiserver to servers over
// etcd: to one, and to two over one etcd in turn.
package recordings

import (
	"context"
	"fmt"
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
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// recorder is the user who made the recordings.
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

// lane is an etcd with servers over it. What a list says of its resourceVersion
// depends on every write to etcd, so cases that run at the same time need lanes
// apart.
type lane struct {
	runner   conformance.Runner
	clusters []*cluster.Cluster
	sends    []conformance.Send
	next     int
}

func newLane(t testing.TB, servers int) *lane {
	clock := &stillClock{now: time.Now().UTC()}
	l := &lane{runner: conformance.Runner{Now: clock.Now, Sleep: clock.Sleep}}
	endpoints := etcdtest.Start(t, 1)
	for range servers {
		c, err := cluster.New(cluster.Config{Now: clock.Now, Addresses: true, Shared: true, Store: etcdtest.Records(t, endpoints, "/patchlab")})
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(server.New(c, server.Options{Now: clock.Now, User: recorder}))
		t.Cleanup(func() {
			s.CloseClientConnections()
			s.Close()
			_ = c.Close()
		})
		l.clusters = append(l.clusters, c)
		l.sends = append(l.sends, conformance.HTTP(s.URL, "", s.Client()))
	}
	if err := conformance.Install(l.send, "../../../testdata/crds"); err != nil {
		t.Fatal(err)
	}
	return l
}

// send sends a request to the next server. What is written reaches the caches of
// the others within milliseconds; here it is waited for, because the recordings
// expect reads of any version to show it.
func (l *lane) send(r conformance.Request) (conformance.Answer, error) {
	answer, err := l.sends[l.next](r)
	l.next = (l.next + 1) % len(l.sends)
	for _, c := range l.clusters {
		if r.Method != "GET" {
			if err := c.CatchUp(context.Background()); err != nil {
				return answer, err
			}
		}
	}
	return answer, err
}

// differ are the cases that differ over etcd, with the reason.
var differ = map[string]string{
	"ssa-schema-edges/large-integers":           "an apply that changes nothing takes a version when the object was read from bytes",
	"ssa-schema-edges/integer-keys-beyond-2-53": "an apply that changes nothing takes a version when the object was read from bytes",
}

// The variable CONFORMANCE chooses cases by a part of their names, and
// CONFORMANCE_EVERY takes one case in so many instead of one in five.
func TestRecordings(t *testing.T) {
	cases, err := conformance.ReadAll("../../../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	more, err := conformance.ReadAll("../../../testdata/more")
	if err != nil {
		t.Fatal(err)
	}
	cases = append(cases, more...)
	only, every := os.Getenv("CONFORMANCE"), 5
	if text := os.Getenv("CONFORMANCE_EVERY"); text != "" {
		if _, err := fmt.Sscan(text, &every); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Short() {
		every = 20
	}
	if only == "" {
		cases = conformance.Sample(cases, every)
	}
	cases = slices.DeleteFunc(cases, func(c conformance.Case) bool { return !strings.Contains(c.Name, only) })
	for _, servers := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d servers", servers), func(t *testing.T) {
			var report conformance.Report
			for i, o := range runAll(t, cases, 8, servers) {
				report.Add(cases[i], o.agreed)
				why, known := differ[cases[i].Name]
				switch {
				case known && o.differs == "":
					t.Errorf("%s agrees by now: take it off the list", cases[i].Name)
				case known:
					t.Logf("%s differs: %s", cases[i].Name, why)
				case o.differs != "":
					t.Errorf("%s: %s", cases[i].Name, o.differs)
				}
			}
			t.Logf("answers as recorded:\n%s", report.String())
		})
	}
}

type outcome struct {
	agreed  int
	differs string
}

// runAll runs cases in lanes, because most of the time goes into watches that
// wait for what does not come.
func runAll(t testing.TB, cases []conformance.Case, lanes, servers int) []outcome {
	out := make([]outcome, len(cases))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range lanes {
		l := newLane(t, servers)
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cases); i = int(next.Add(1)) - 1 {
				out[i].agreed, out[i].differs = l.runner.Run(cases[i], l.send)
			}
		})
	}
	wg.Wait()
	return out
}
