package smd4

import (
	"bytes"
	"flag"
	"go/format"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/server"
)

var update = flag.Bool("update", false, "copy the reference engine again")

// TestIsTheReferenceEngine checks that the copies match package reference and the types that it uses.
func TestIsTheReferenceEngine(t *testing.T) {
	const types = "internal/engine/parseable"
	for name, source := range map[string]string{
		"merge.go": "reference/merge.go", "types.go": "reference/types.go", "values.go": "reference/values.go",
		"parseable/parseable.go": types + "/parseable.go",
	} {
		from, err := os.ReadFile(filepath.Join("../..", source))
		if err != nil {
			t.Fatal(err)
		}
		made := "// Made from " + source + " by the test of this package with -update. DO NOT EDIT.\n\n" + strings.NewReplacer(
			"structured-merge-diff/v6", "structured-merge-diff/v4",
			"patchlab/"+types, "patchlab/test/smd4/parseable",
			"package reference\n", "package smd4\n", "// Package reference", "// Package smd4",
		).Replace(string(from))
		text, err := format.Source([]byte(made))
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, text) {
			t.Errorf("%s is not a copy of %s (go test ./smd4 -update): %v", name, source, err)
		}
	}
}

// differing maps the recorded cases whose result differs with structured-merge-diff
// v4.7.0 to the reason.
var differing = map[string]string{
	"ssa-crd/keyed-list-partial-keys": "v4 refuses an item that lacks a key without a default (500); v6 takes it, and validation refuses it (422)",
}

// TestCorpus replays the recordings of kube-apiserver v1.36.3 with v4.
func TestCorpus(t *testing.T) {
	all, err := conformance.ReadAll("../../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	at := &clock{time.Now()}
	v4, v6 := start(t, cluster.Config{Now: at.Now, Engine: Merger()}), start(t, cluster.Config{Now: at.Now})
	agreed := 0
	for _, c := range all {
		_, differs := conformance.Runner{Now: at.Now, Sleep: at.Sleep}.Run(c, v4)
		switch why := differing[c.Name]; {
		case differs == "" && why == "":
			agreed++
		case differs == "":
			t.Errorf("%s agrees now, but is listed in differing: %s", c.Name, why)
		case why == "":
			// A difference that also occurs with v6 is not caused by v4.
			if _, d := (conformance.Runner{Now: at.Now, Sleep: at.Sleep}).Run(c, v6); d == "" {
				t.Errorf("%s differs: %s", c.Name, differs)
			}
		}
	}
	t.Logf("%d cases agree with v4.7.0, %d differ as listed", agreed, len(differing))
}

// TestCorpusWithReference replays the recordings with v6, the reference engine.
func TestCorpusWithReference(t *testing.T) {
	all, err := conformance.ReadAll("../../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	at := &clock{time.Now()}
	send := start(t, cluster.Config{Now: at.Now, Engine: reference.Merger()})
	for _, c := range all {
		if c.Name == "builtin-defaults2/csr-create" {
			continue // kube-apiserver returns the requesting user, which this server does not authenticate
		}
		if _, differs := (conformance.Runner{Now: at.Now, Sleep: at.Sleep}).Run(c, send); differs != "" {
			t.Errorf("%s differs: %s", c.Name, differs)
		}
	}
}

type clock struct{ now time.Time }

func (c *clock) Now() time.Time        { return c.now }
func (c *clock) Sleep(d time.Duration) { c.now = c.now.Add(d) }

func start(t *testing.T, config cluster.Config) conformance.Send {
	t.Helper()
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(c, server.Options{}))
	t.Cleanup(func() { s.Close(); _ = c.Close() })
	send := conformance.HTTP(s.URL, "", s.Client())
	if err := conformance.Install(send, "../../testdata/crds"); err != nil {
		t.Fatal(err)
	}
	return send
}
