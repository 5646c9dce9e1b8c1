package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

var updateManifests = flag.Bool("update-manifests", false, "write what apply answers into the cases of testdata/manifests and testdata/crdsets")

// manifestCase is a parsed case.txt: lines "name: value", an empty line, and the
// expected standard error. It also holds the standard output unless that is YAML.
type manifestCase struct {
	file      string
	why, args string
	// once is the reason why the objects cannot be applied a second time.
	once string
	want string
}

func readManifestCase(t *testing.T, file string) manifestCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, want, _ := strings.Cut(string(data), "\n\n")
	c := manifestCase{file: file, want: want}
	fields := map[string]*string{"why": &c.why, "args": &c.args, "once": &c.once}
	for line := range strings.Lines(strings.TrimRight(head, "\n")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		field, ok := fields[name]
		if !ok {
			t.Fatalf("%s: unknown line %q", file, line)
		}
		*field = value
	}
	if c.why == "" || c.args == "" {
		t.Fatalf("%s: why and args are required", file)
	}
	return c
}

// TestManifestsOfProjects applies manifests as real projects publish them. Each
// folder holds the manifests and a case.txt with the arguments, warnings, errors and
// summary. If every object is accepted, applying the manifests to the result must
// change nothing.
func TestManifestsOfProjects(t *testing.T) {
	for _, set := range [...]string{"manifests", "crdsets"} {
		files, err := filepath.Glob("../../../testdata/" + set + "/*/case.txt")
		if err != nil || len(files) < 15 {
			t.Fatalf("%s: %d cases, %v", set, len(files), err)
		}
		for _, file := range files {
			file, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(set+"/"+filepath.Base(filepath.Dir(file)), func(t *testing.T) { testManifests(t, readManifestCase(t, file)) })
		}
	}
}

func testManifests(t *testing.T, c manifestCase) {
	t.Chdir(filepath.Dir(c.file))
	args := append([]string{"apply"}, strings.Fields(c.args)...)
	code, out, errs := runApp(args...)
	got := fmt.Sprintf("%sexit code %d\n", errs, code)
	if strings.Contains(c.args, " -o diff") || strings.Contains(c.args, " -o name") {
		got += "\n" + out
	}
	if *updateManifests {
		head, _, _ := strings.Cut(string(must(os.ReadFile(c.file))), "\n\n")
		if err := os.WriteFile(c.file, []byte(strings.TrimRight(head, "\n")+"\n\n"+got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != c.want {
		t.Errorf("%s\npatchlab %s\n got:\n%s\nwant:\n%s", c.why, strings.Join(args, " "), got, c.want)
	}
	if code != 0 || c.once != "" {
		return
	}
	applyAgain(t, c)
}

var outputFlag = regexp.MustCompile(` -o \w+`)

// applyAgain applies a case's manifests to the objects that the first apply returned.
func applyAgain(t *testing.T, c manifestCase) {
	args := strings.Fields(outputFlag.ReplaceAllString(" "+c.args, ""))
	_, after, _ := runApp(append([]string{"apply", "-o", "yaml", "--show-managed-fields"}, args...)...)
	live := filepath.Join(t.TempDir(), "live.yaml")
	if err := os.WriteFile(live, []byte(after), 0o644); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	code, out, errs := runApp(append([]string{"apply", live, "-o", "diff", "--exit-code"}, args...)...)
	if code != 0 || out != "" {
		t.Errorf("applied again: exit code %d\n%s%s", code, errs, out)
	}
}

func runApp(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	ids := 0
	app := &program.App{Out: &stdout, Err: &stderr,
		Now: func() time.Time { return time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC) },
		UID: func() string { ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids) }}
	code = run(context.Background(), app, args)
	return code, stdout.String(), stderr.String()
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
