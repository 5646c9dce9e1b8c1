// Package exports holds scenarios as Go tests, as 'patchlab export --to go' writes them,
// and the test that they are current. That they pass is the proof that the exports do on an
// API server what the scenarios do.
package exports

import (
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/scenario"
)

var update = flag.Bool("update", false, "write the tests again")

// number is what file names of the examples begin with.
var number = regexp.MustCompile(`^\d+-`)

func TestExportsAreCurrent(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenarios (%v)", len(files), err)
	}
	for _, file := range append(files, "testdata/live-objects.yaml") {
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
		base := number.ReplaceAllString(strings.TrimSuffix(filepath.Base(file), ".yaml"), "")
		name := strings.ReplaceAll(base, "-", "_") + "_test.go"
		if *update {
			if err := os.WriteFile(name, code, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if now, err := os.ReadFile(name); err != nil || string(now) != string(code) {
			t.Errorf("%s is not what %s exports as (%v); run go test ./exports -update", name, file, err)
		}
	}
}
