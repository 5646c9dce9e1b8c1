//go:build !js

package cluster

import (
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// TestLeakedAddressesAreFreed checks that the IPAddresses that a server has created before it ended during the creation of
// a Service become free after a minute, and that those of Services and of clients are kept.
func TestLeakedAddressesAreFreed(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c, err := New(Config{Addresses: true, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	repair := func() {
		t.Helper()
		if err := c.RecordAddresses(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	repair()
	createService(t, c, "a", `{"clusterIP":"10.96.0.9","ports":[{"port":80}]}`)
	lost, err := document.Parse([]byte(`{"metadata":{"name":"lost","namespace":"d"}}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := document.Parse([]byte(`{"metadata":{"name":"a","namespace":"d"}}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for ip, service := range map[string]document.Value{"10.96.0.10": lost.Root, "10.96.0.11": other.Root} {
		if st := c.createRecord(t.Context(), ip, service); st != nil {
			t.Fatal(st)
		}
	}
	if _, err := c.Do(t.Context(), &Request{Verb: Create, Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses",
		Body: []byte(`{"metadata":{"name":"10.96.0.12"},"spec":{"parentRef":{"resource":"services","namespace":"d","name":"none"}}}`)}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	repair()
	if got, want := recordsOf(t, c), "10.96.0.10 d/lost, 10.96.0.11 d/a, 10.96.0.12 d/none, 10.96.0.9 d/a"; got != want {
		t.Errorf("after a minute the addresses are %s, want %s", got, want)
	}
	now = now.Add(time.Second)
	repair()
	if got, want := recordsOf(t, c), "10.96.0.12 d/none, 10.96.0.9 d/a"; got != want {
		t.Errorf("after more than a minute the addresses are %s, want %s", got, want)
	}
}
