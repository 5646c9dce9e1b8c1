package server

import (
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
)

// TestRecordedSystemObjects sends the requests of each file in testdata/system to a server with the objects
// that kube-apiserver creates when it starts.
func TestRecordedSystemObjects(t *testing.T) {
	files, err := filepath.Glob("testdata/system/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no recordings", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl.gz"), func(t *testing.T) {
			c, err := cluster.New(cluster.Config{Now: fixedClock, Addresses: true, ServiceRanges: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			if err := controllers.Bootstrap(t.Context(), c, netip.AddrPort{}); err != nil {
				t.Fatal(err)
			}
			c.Compute("", "componentstatuses", ComponentStatuses(nil))
			s := New(c, Options{Now: fixedClock})
			for _, a := range recordedIn(t, file) {
				a.compare(t, s)
			}
		})
	}
}
