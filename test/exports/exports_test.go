// Package exports checks that Go tests written by 'patchlab export --to go' compile and
// pass, that is, that an API server treats their requests as the scenarios expect.
package exports

import (
	"bytes"
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/scenario"
)

// TestExportsPass exports all example scenarios as Go tests and runs them. The go
// command reads the files from an overlay of this folder.
func TestExportsPass(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenarios (%v)", len(files), err)
	}
	files = append(files, "testdata/live-objects.yaml")
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml") + "_test.go"
		written := filepath.Join(dir, name)
		if err := os.WriteFile(written, exported(t, file), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(here, "written-"+name)] = written
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "test", "-v", "-skip", "^"+t.Name()+"$", "-overlay", filepath.Join(dir, "overlay.json"), ".")
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if passed := strings.Count("\n"+out.String(), "\n--- PASS: "); passed != len(files) {
		t.Errorf("%d tests passed, want %d\n%s", passed, len(files), out.String())
	}
}

// exported returns a scenario as a Go test. It fails the test unless the code is
// formatted as by gofmt.
func exported(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(text, file)
	if err != nil {
		t.Fatal(err)
	}
	results, err := scenario.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	code, err := scenario.GoTest(s, results, "exports")
	if err != nil {
		t.Fatal(err)
	}
	if formatted, err := format.Source(code); err != nil || string(formatted) != string(code) {
		t.Errorf("%s: the test is not formatted as by gofmt (%v)", file, err)
	}
	return code
}
