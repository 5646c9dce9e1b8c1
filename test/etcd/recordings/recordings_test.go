// Package recordings sends what was recorded of kube-apiserver to servers over
// etcd: to one, and to two over one etcd in turn.
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

// servers are servers over one etcd.
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

// send sends a request to the next server. What is written reaches the caches of
// the others within milliseconds; here it is waited for, because the recordings
// expect reads of any version to show it.
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

// The variable CONFORMANCE chooses cases by a part of their names, and
// CONFORMANCE_EVERY takes one case in so many instead of one in five.
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
