package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/app/cli"
)

// Policies and rules under test: what they deny is denied, and nothing is left out.
func TestRunRunsPolicies(t *testing.T) {
	var out, problems bytes.Buffer
	code := cli.RunLinked(commands(), []string{"run", "../../../testdata/policies"}, strings.NewReader(""), &out, &problems)
	if code != 0 || !strings.Contains(out.String(), "2 scenarios: 2 as expected; 9 steps, 9 expectations") || strings.Contains(problems.String(), "not run") {
		t.Errorf("exit code %d\n%s%s", code, out.String(), problems.String())
	}
}

// Without the libraries the same scenarios are run as far as they go, and the command says
// what was not run.
func TestRunSaysWhatItDoesNotRun(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out, problems bytes.Buffer
	code := cli.Run([]string{"run", "../../../testdata/policies"}, strings.NewReader(""), &out, &problems)
	if code != 1 || !strings.Contains(out.String(), "2 failed") || !strings.Contains(problems.String(), "2 CEL rules and 2 admission policies were not run: that needs the program patchlab-admission") {
		t.Errorf("exit code %d\n%s%s", code, out.String(), problems.String())
	}
}
