package cluster_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
)

var (
	update = flag.Bool("update", false, "remove the cases that agree from testdata/invalid/*.open")
	reopen = flag.Bool("reopen", false, "with -update, also add the cases that do not agree")
)

// TestInvalid replays the recorded refusals of built-in kinds, and similar objects that were
// accepted, by group. CASE=text runs only the cases whose names or files contain the text, and
// logs the differences.
func TestInvalid(t *testing.T) {
	files, err := filepath.Glob("../testdata/invalid/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	at := &clock{now: time.Now().Truncate(time.Second)}
	c, err := cluster.New(cluster.Config{Now: at.Now, Addresses: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	runner := conformance.Runner{Now: at.Now, Sleep: at.Sleep}
	only := os.Getenv("CASE")
	total := conformance.Verdicts{}
	for _, file := range files {
		cases, err := conformance.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		open := strings.TrimSuffix(file, ".jsonl.gz") + ".open"
		known := readOpen(t, open)
		count, now := conformance.Verdicts{}, map[string]string{}
		for _, one := range cases {
			if only != "" && !strings.Contains(one.Name, only) && !strings.Contains(file, only) {
				continue
			}
			answer, why, err := runner.Judge(one, inprocess.Send(c))
			if err != nil {
				t.Fatal(err)
			}
			count.Add(one, answer)
			total.Add(one, answer)
			if answer != conformance.Agrees {
				now[one.Name] = answer
			}
			switch was := known[one.Name]; {
			case only != "" && answer != conformance.Agrees:
				t.Logf("%s: %s\n%s", one.Name, answer, why)
			case only != "" || *update || answer == was || answer == conformance.Agrees && was == "":
			case answer == conformance.Agrees:
				t.Errorf("%s agrees: remove it from %s", one.Name, open)
			default:
				t.Errorf("%s: %s\n%s", one.Name, answer, why)
			}
		}
		if *update && only == "" {
			writeOpen(t, open, known, now)
		}
		t.Logf("%-28s %s", strings.TrimSuffix(filepath.Base(file), ".jsonl.gz"), count)
	}
	t.Logf("%-28s %s", "all", total)
}

// readOpen reads the cases that are known to differ.
func readOpen(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		answer, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		known[name] = answer
	}
	return known
}

// writeOpen writes the cases that differ: those known before, or with -reopen all of them.
func writeOpen(t *testing.T, path string, known, now map[string]string) {
	t.Helper()
	var lines []string
	for name, answer := range now {
		if known[name] != "" || *reopen {
			lines = append(lines, answer+" "+name+"\n")
		}
	}
	slices.SortFunc(lines, func(a, b string) int {
		_, x, _ := strings.Cut(a, " ")
		_, y, _ := strings.Cut(b, " ")
		return strings.Compare(x, y)
	})
	if len(lines) == 0 {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
