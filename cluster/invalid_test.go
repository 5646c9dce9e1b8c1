package cluster_test

import (
	"flag"
	"fmt"
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

// Differences between a response and the recording, as written in the *.open files.
const (
	agrees   = "agrees"
	accepted = "accepted" // accepted, but recorded as refused
	refused  = "refused"  // refused, but recorded as accepted
	other    = "other"    // the causes or the object differ
	setup    = "setup"    // an earlier step has a different status code
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
	only := os.Getenv("CASE")
	total := verdicts{}
	for _, file := range files {
		cases, err := conformance.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		open := strings.TrimSuffix(file, ".jsonl.gz") + ".open"
		known := readOpen(t, open)
		count, now := verdicts{}, map[string]string{}
		for _, one := range cases {
			if only != "" && !strings.Contains(one.Name, only) && !strings.Contains(file, only) {
				continue
			}
			answer, why := verdictOf(t, at, one, inprocess.Send(c))
			count.add(one, answer)
			total.add(one, answer)
			if answer != agrees {
				now[one.Name] = answer
			}
			switch was := known[one.Name]; {
			case only != "" && answer != agrees:
				t.Logf("%s: %s\n%s", one.Name, answer, why)
			case only != "" || *update || answer == was || answer == agrees && was == "":
			case answer == agrees:
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

// verdicts counts responses by the recorded outcome.
type verdicts struct {
	refused, accepted map[string]int
}

func (v *verdicts) add(c conformance.Case, answer string) {
	if v.refused == nil {
		v.refused, v.accepted = map[string]int{}, map[string]int{}
	}
	counts := v.accepted
	if c.Steps[lastWrite(c)].Response.Code >= 400 {
		counts = v.refused
	}
	counts[answer]++
	counts["all"]++
}

func (v verdicts) String() string {
	r, a := v.refused, v.accepted
	return fmt.Sprintf("to refuse %4d: same %4d, other %3d, accepted %3d, setup %2d; to accept %4d: same %4d, other %3d, refused %3d, setup %2d",
		r["all"], r[agrees], r[other], r[accepted], r[setup], a["all"], a[agrees], a[other], a[refused], a[setup])
}

// lastWrite returns the index of the step to compare; a DELETE after it only cleans up.
func lastWrite(c conformance.Case) int {
	last := 0
	for i, s := range c.Steps {
		if s.Request.Method != "DELETE" {
			last = i
		}
	}
	return last
}

// verdictOf replays a case and compares the response of its last write.
func verdictOf(t *testing.T, at *clock, c conformance.Case, send conformance.Send) (answer, why string) {
	t.Helper()
	got, err := conformance.Runner{Now: at.Now, Sleep: at.Sleep}.Record(c, send)
	if err != nil {
		t.Fatal(err)
	}
	last := lastWrite(c)
	for i, s := range c.Steps[:last] {
		if is := got.Steps[i].Response; is.Code != s.Response.Code {
			return setup, fmt.Sprintf("step %d: %d %v", i, is.Code, is.Body)
		}
	}
	want, is := c.Steps[last].Response, got.Steps[last].Response
	switch {
	case want.Code < 400 && is.Code >= 400:
		return refused, fmt.Sprintf("got %d %q", is.Code, message(is.Body))
	case want.Code < 400:
		if d := conformance.Difference(want, is, false); d != "" {
			return other, d
		}
	case is.Code < 400:
		return accepted, fmt.Sprintf("want %d %q", want.Code, causesOf(want.Body))
	case want.Code != is.Code || !slices.Equal(causesOf(want.Body), causesOf(is.Body)):
		return other, fmt.Sprintf("want %d %q\ngot  %d %q %s", want.Code, causesOf(want.Body), is.Code, causesOf(is.Body), message(is.Body))
	}
	return agrees, ""
}

// causesOf returns the reason of a Status and its causes without messages, sorted and without
// duplicates.
func causesOf(body any) []string {
	status, _ := body.(map[string]any)
	details, _ := status["details"].(map[string]any)
	list, _ := details["causes"].([]any)
	var causes []string
	for _, one := range list {
		cause, _ := one.(map[string]any)
		causes = append(causes, fmt.Sprint(cause["reason"], " ", cause["field"]))
	}
	slices.Sort(causes)
	return append([]string{fmt.Sprint(status["reason"])}, slices.Compact(causes)...)
}

func message(body any) string {
	status, _ := body.(map[string]any)
	text, _ := status["message"].(string)
	return text
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
