package server

import (
	"context"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/plugins"
)

// TestRecordedPlugins sends the requests of a recording to a server with all admission plugins.
// kube-apiserver answered them with those that it enables by default.
func TestRecordedPlugins(t *testing.T) {
	config := cluster.Config{Now: fixedClock}
	if err := plugins.Configure(&config, []string{plugins.Default}); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := controllers.Bootstrap(context.Background(), c, false); err != nil {
		t.Fatal(err)
	}
	s := New(c, Options{Now: fixedClock})
	for _, a := range recordedIn(t, "testdata/plugins.jsonl.gz") {
		a.compare(t, s)
	}
}
