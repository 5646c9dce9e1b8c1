package server

import (
	"context"
	"encoding/json"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/plugins"
)

// TestRecordedPlugins sends the requests of recordings to a server with all admission plugins.
// kube-apiserver answered them with those that it enables by default, but without ServiceAccount where
// the recording is not about it.
func TestRecordedPlugins(t *testing.T) {
	for file, names := range map[string][]string{
		"plugins": noAccounts(), "quota": noAccounts(), "limits": noAccounts(), "declared-features": noAccounts(), "terminating-namespaces": noAccounts(),
		"resize": {plugins.Default}, "load-balancers": {plugins.Default}, "found": {plugins.Default}, "serviceaccount": {plugins.Default}, "plugin-rules": {plugins.Default},
	} {
		t.Run(file, func(t *testing.T) {
			s, _ := withPlugins(t, names)
			for _, a := range recordedIn(t, "testdata/"+file+".jsonl.gz") {
				a.compare(t, s)
			}
		})
	}
}

// noAccounts returns the names of all plugins except ServiceAccount.
func noAccounts() []string {
	return slices.DeleteFunc(plugins.Names(), func(name string) bool { return name == plugins.ServiceAccount })
}

// TestRecordedQuotas runs the controller that counts what objects use. The recording was made with that
// of kube-controller-manager, and reads a quota after it was counted.
func TestRecordedQuotas(t *testing.T) {
	s, c := withPlugins(t, noAccounts())
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- controllers.Run(ctx, c, controllers.Options{Quotas: true, Fault: func(err error) { t.Error(err) }})
	}()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	for _, a := range recordedIn(t, "testdata/quotacontroller.jsonl.gz") {
		for deadline := time.Now().Add(10 * time.Second); a.Method == "GET" && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			var got map[string]any
			if err := json.Unmarshal(ask(s, a.Method, a.Path, "").Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if reflect.DeepEqual(got["status"], a.Answer.JSON.(map[string]any)["status"]) {
				break
			}
		}
		a.compare(t, s)
	}
}

// withPlugins returns a server with admission plugins, and its cluster.
func withPlugins(t *testing.T, names []string) (*Server, *cluster.Cluster) {
	t.Helper()
	config := cluster.Config{Now: fixedClock, Addresses: true}
	if err := plugins.Configure(&config, names); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := controllers.Bootstrap(context.Background(), c, netip.AddrPort{}); err != nil {
		t.Fatal(err)
	}
	return New(c, Options{Now: fixedClock}), c
}
