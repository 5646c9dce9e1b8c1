package admission_test

import (
	"encoding/json"
	"io"
	"log"
	"regexp"
	"testing"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
)

var discardLog = log.New(io.Discard, "", 0)

// TestRecordings sends the recorded requests to a server and compares its answers
// and what the webhooks were sent with those of kube-apiserver.
func TestRecordings(t *testing.T) {
	replay(t, func() store.Store[*cluster.Record] { return nil })
}

// TestRecordingsFromBytes does so over stores that decode what they keep, as one over
// etcd does.
func TestRecordingsFromBytes(t *testing.T) { replay(t, inprocess.Bytes) }

func replay(t *testing.T, objects func() store.Store[*cluster.Record]) {
	for _, family := range []string{"cel", "hooks", "policy", "conversion"} {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			cases, err := conformance.Read("../testdata/admission/" + family + ".jsonl.gz")
			if err != nil {
				t.Fatal(err)
			}
			hooks := startHookServer(t)
			clock := conformance.NewClock()
			send := withHooks(startServer(t, clock, objects()), hooks)
			if err := conformance.Install(send, "../testdata/admission/crds/"+family); err != nil {
				t.Fatal(err)
			}
			hooks.take()
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

// generatedName is a name that the server chose, in cases that ask for it.
var generatedName = regexp.MustCompile(`\bgen-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)

// known are the cases in which the answer differs, with the reason.
var known = map[string]string{}

// startServer starts a server with admission; objects is nil for a store in memory.
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

// withHooks fills in the address of the webhooks in what is sent, and adds to each
// answer the reviews that they were sent.
func withHooks(send conformance.Send, h *hookServer) conformance.Send {
	return func(r conformance.Request) (conformance.Answer, error) {
		r.Body = h.fill(r.Body)
		h.take()
		a, err := send(r)
		if err != nil {
			return a, err
		}
		a.Body = generatedName.ReplaceAll([]byte(h.name(string(a.Body))), []byte("gen-$$RAND$$"))
		for i := range a.Events {
			a.Events[i] = []byte(h.name(string(a.Events[i])))
		}
		for i := range a.Warnings {
			a.Warnings[i] = h.name(a.Warnings[i])
		}
		for _, review := range h.take() {
			if request, ok := review.Review["request"].(map[string]any); ok {
				request["uid"] = "$REVIEW$"
				delete(request, "userInfo")
			}
			data, err := json.Marshal(review)
			if err != nil {
				return a, err
			}
			a.Hooks = append(a.Hooks, generatedName.ReplaceAll([]byte(h.name(string(data))), []byte("gen-$$RAND$$")))
		}
		return a, nil
	}
}
