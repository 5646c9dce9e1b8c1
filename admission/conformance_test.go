package admission_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
)

// TestRecordings sends the recorded requests to a server and compares its responses,
// and the reviews sent to webhooks, with those of kube-apiserver.
func TestRecordings(t *testing.T) {
	replay(t, func() store.Store[*cluster.Record] { return nil })
}

// TestRecordingsFromBytes runs the recordings on stores that encode and decode their
// values, as the etcd store does.
func TestRecordingsFromBytes(t *testing.T) { replay(t, inprocess.Bytes) }

func replay(t *testing.T, objects func() store.Store[*cluster.Record]) {
	for _, family := range []string{"cel", "hooks", "policy", "conversion"} {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			cases, err := conformance.Read("../testdata/admission/" + family + ".jsonl.gz")
			if err != nil {
				t.Fatal(err)
			}
			webhooks := startHooks(t)
			clock := conformance.NewClock()
			send := webhooks.Around(startServer(t, clock, objects()))
			if err := conformance.Install(send, "../testdata/admission/crds/"+family); err != nil {
				t.Fatal(err)
			}
			webhooks.Take()
			var report conformance.Report
			runner := conformance.Runner{Now: clock.Now, Sleep: clock.Sleep, AllWarnings: true}
			for _, c := range cases {
				agreed, differs := runner.Run(c, send)
				if differs != "" && known[c.Name] == "" {
					t.Errorf("%s: %s", c.Name, differs)
				}
				if differs == "" && known[c.Name] != "" {
					t.Errorf("%s agrees: remove it from the known differences", c.Name)
				}
				report.Add(c, agreed)
			}
			t.Logf("agreed:\n%s", report.String())
		})
	}
}

// known maps each case whose response differs from the recording to the reason.
var known = map[string]string{}

// startServer starts a server with admission. If objects is nil, it stores objects in
// memory.
func startServer(t *testing.T, clock *conformance.Clock, objects store.Store[*cluster.Record]) conformance.Send {
	config := cluster.Config{Now: clock.Now, Addresses: true, Store: objects}
	if err := admission.Configure(&config, admission.Options{}); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	s := conformance.Serve(t, server.New(c, server.Options{
		Now: clock.Now, User: cluster.User{Name: "admin", UID: "admin", Groups: []string{"system:masters", "system:authenticated"}},
	}), c.Close)
	return conformance.HTTP(s.URL, "", s.Client())
}

// startHooks starts a server of webhooks for the time of a test.
func startHooks(t *testing.T) hooks.Caller {
	s := hooks.Start()
	t.Cleanup(s.Close)
	return s.Caller("")
}
