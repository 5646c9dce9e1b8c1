package cluster_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
	"github.com/patchlab-dev/patchlab/reference"
)

// clock is a clock that advances only by sleeping.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time        { return c.now }
func (c *clock) Sleep(d time.Duration) { c.now = c.now.Add(d) }

const recordings = "../testdata/conformance"

// newRecorded returns a cluster with the recorded custom resources.
func newRecorded(t testing.TB, config cluster.Config) *cluster.Cluster {
	t.Helper()
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	files, err := filepath.Glob(filepath.Join("../testdata/crds", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded CRDs: %v", err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Format: cluster.YAML, Body: body,
			Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	return c
}

// TestRecordings replays every recorded case without HTTP; inprocess.ClusterRequest replaces
// what only concerns HTTP. CASE=text runs only the cases whose names contain the text.
func TestRecordings(t *testing.T) { replay(t, cluster.Config{}) }

// The engine of kube-apiserver's libraries also gives the recorded responses.
func TestRecordingsWithTheReferenceEngine(t *testing.T) {
	replay(t, cluster.Config{Engine: reference.Merger(), PatchEngine: reference.Patch{}})
}

// An object that was decoded from bytes gives the same answers as the one that was
// written.
func TestRecordingsFromBytes(t *testing.T) { replay(t, cluster.Config{Store: inprocess.Bytes()}) }

func replay(t *testing.T, config cluster.Config) {
	cases, err := conformance.ReadAll(recordings)
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		cases = conformance.Sample(cases, 10)
	}
	only := os.Getenv("CASE")
	at := &clock{now: time.Now().Truncate(time.Second)}
	config.Now = at.Now
	c := newRecorded(t, config)
	report := &conformance.Report{}
	for _, one := range cases {
		if only != "" && !strings.Contains(one.Name, only) {
			continue
		}
		agreed, differs := conformance.Runner{Now: at.Now, Sleep: at.Sleep, FieldWarnings: runtime.GOOS == "js"}.Run(one, inprocess.Send(c))
		report.Add(one, agreed)
		if differs != "" {
			t.Errorf("%s: %s", one.Name, differs)
		}
	}
	t.Logf("agreed:\n%s", report)
}
