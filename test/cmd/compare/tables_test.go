package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// TestTables: the same servers agree about tables, of many resources; another cell, column or object in a row is a
// difference.
func TestTables(t *testing.T) {
	o := &options{seed: 7, cases: 120, recordings: "../../../testdata/invalid"}
	r, err := compareTables(o, servers(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); len(r.kinds) > 0 || len(r.groups) < 25 || total.accepted-r.groups["other requests"].accepted < 200 {
		t.Errorf("%s in %d groups; differences: %v", total, len(r.groups), r.kinds)
	}
	for name, change := range map[string][2]string{
		"cell": {`"cells":["obj"`, `"cells":["other"`}, "column": {`"format":"name"`, `"format":""`}, "object": {`"kind":"PartialObjectMetadata"`, `"kind":"Other"`},
	} {
		r, err := compareTables(o, servers(t, func(r conformance.Request, a *conformance.Answer) {
			if strings.Contains(r.Accept, "Table") {
				a.Body = bytes.ReplaceAll(a.Body, []byte(change[0]), []byte(change[1]))
			}
		}))
		if err != nil || len(r.kinds) == 0 {
			t.Errorf("another %s is no difference (%v)", name, err)
		}
	}
}

// TestChosenCells: what a server chooses is replaced in cells, and what the client has sent is not.
func TestChosenCells(t *testing.T) {
	cells := []any{"12s", "3 (4s ago)", "10.0.0.7", "80:30123/TCP,81:30456/TCP", "2y", "2026-01-02T03:04:05Z", "10s"}
	got := encode(chosenCells(cells, `30456 "10s"`))
	if want := `["$CHOSEN$","3 $CHOSEN$","$CHOSEN$","80$CHOSEN$TCP,81:30456/TCP","2y","$CHOSEN$","10s"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
