package differ

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/test/testserver"
)

var (
	file    = flag.String("differ.file", "", "file of cases to ask, one a line, recorded or not")
	workers = flag.Int("differ.workers", 4, "how many cases of -differ.file to ask at once")
	all     = flag.Bool("differ.all", false, "append all cases of -differ.file to -differ.record, not only those that differ")
)

// TestCasesFromFileAgreeWithAPIServer sends the cases of a file to both servers and compares
// the responses.
func TestCasesFromFileAgreeWithAPIServer(t *testing.T) {
	if !testserver.Foreign() || *file == "" {
		t.Skip("needs a kube-apiserver to compare with, and -differ.file")
	}
	content, err := os.ReadFile(*file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<24)
	cases := make(chan conformance.Case)
	theirs, ours := foreign(), start(t)
	var group sync.WaitGroup
	var lock sync.Mutex
	for range *workers {
		group.Go(func() {
			for c := range cases {
				differences, recorded := ask(t, c, theirs, ours)
				lock.Lock()
				for _, d := range differences {
					t.Errorf("%s (%s): %s", c.Name, c.Note, d)
				}
				if len(differences) > 0 || *all {
					keep(t, recorded)
				}
				lock.Unlock()
			}
		})
	}
	n := 0
	for lines.Scan() {
		var c conformance.Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Error(err)
			break
		}
		n++
		cases <- c
	}
	close(cases)
	group.Wait()
	t.Logf("%d cases compared", n)
}

// ask records a case on the kube-apiserver and replays it on patchlab. If the response
// to a read or a dry run differs, it repeats the case without that step, in another
// namespace, to find further differences.
func ask(t *testing.T, c conformance.Case, theirs, ours conformance.Send) (differences []string, first conformance.Case) {
	for round := 0; ; round++ {
		recorded, err := (conformance.Runner{}).Record(c, theirs)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			return differences, first
		}
		if round == 0 {
			first = recorded
		}
		agreed, d := (conformance.Runner{}).Run(recorded, ours)
		if d == "" {
			return differences, first
		}
		differences = append(differences, d+" ? "+c.Steps[agreed].Request.Query+" "+c.Steps[agreed].Request.Body)
		if r := c.Steps[agreed].Request; r.Method != "GET" && !strings.Contains(r.Query, "dryRun") || round == 20 || len(c.Steps) == 1 {
			return differences, first
		}
		c.Steps = slices.Delete(slices.Clone(c.Steps), agreed, agreed+1)
		c = elsewhere(c, round)
	}
}

// elsewhere replaces the namespace of a case.
func elsewhere(c conformance.Case, round int) conformance.Case {
	old := caseNamespace.FindString(c.Steps[0].Request.Path)
	if old == "" {
		return c
	}
	next := fmt.Sprintf("%s%02x", old[:len(old)-2], round)
	for i := range c.Steps {
		r := &c.Steps[i].Request
		r.Path, r.Query, r.Body = strings.ReplaceAll(r.Path, old, next), strings.ReplaceAll(r.Query, old, next), strings.ReplaceAll(r.Body, old, next)
	}
	return c
}
