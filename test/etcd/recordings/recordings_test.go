// Package recordings replays the recordings of kube-apiserver on a server on etcd, and
// on two servers that share one etcd.
package recordings

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// servers are servers that share one etcd. Requests alternate between them.
type servers struct {
	clusters []*cluster.Cluster
	sends    []conformance.Send
	next     int
}

func newLane(t testing.TB, n int) conformance.Lane {
	clock := conformance.NewClock()
	l := &servers{}
	endpoints := etcdtest.Start(t, 1)
	for range n {
		c, err := cluster.New(cluster.Config{Now: clock.Now, Addresses: true, Shared: true, Store: etcdtest.Records(t, endpoints, "/patchlab")})
		if err != nil {
			t.Fatal(err)
		}
		s := conformance.Serve(t, server.New(c, server.Options{Now: clock.Now, User: inprocess.Recorder}), c.Close)
		l.clusters = append(l.clusters, c)
		l.sends = append(l.sends, conformance.HTTP(s.URL, "", s.Client()))
	}
	if err := conformance.Install(l.send, "../../../testdata/crds"); err != nil {
		t.Fatal(err)
	}
	return conformance.NewLane(clock, l.send)
}

// send sends a request to the next server. A write reaches the caches of the other
// servers within milliseconds; send waits for that, because the recordings expect every
// later read to include it.
func (l *servers) send(r conformance.Request) (conformance.Answer, error) {
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

// TestRecordings replays one in five recorded cases. The environment variable
// CONFORMANCE selects cases whose name contains it, and CONFORMANCE_EVERY=N runs one in
// N.
func TestRecordings(t *testing.T) {
	cases, err := conformance.Recorded("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	every := 5
	if text := os.Getenv("CONFORMANCE_EVERY"); text != "" {
		if _, err := fmt.Sscan(text, &every); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Short() {
		every = 20
	}
	if os.Getenv("CONFORMANCE") == "" {
		cases = conformance.Sample(cases, every)
	}
	for _, servers := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d servers", servers), func(t *testing.T) {
			lanes := make([]conformance.Lane, 8)
			for i := range lanes {
				lanes[i] = newLane(t, servers)
			}
			var report conformance.Report
			for i, o := range conformance.RunParallel(cases, lanes) {
				report.Add(cases[i], o.Agreed)
				if o.Differs != "" {
					t.Errorf("%s: %s", cases[i].Name, o.Differs)
				}
			}
			t.Logf("answers as recorded:\n%s", report.String())
		})
	}
}
