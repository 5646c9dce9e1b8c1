package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A programs is a folder of programs for envtest.
type programs struct{ name, folder string }

// counted is the result of one run of a package's tests.
type counted struct {
	result
	took time.Duration
}

// compareEnvtest runs the tests in folders of packages that use envtest, unchanged: with the programs of
// Kubernetes if kube is a folder of cmd/kubeapiserver, and with those that the command installs.
// It prints a table. The error counts the tests that fail with the command alone.
func compareEnvtest(t *target, folders []string) error {
	installed := filepath.Join(t.dir, "envtest")
	if out, err := exec.Command(t.command, "envtest", "--dir", installed).CombinedOutput(); err != nil {
		return fmt.Errorf("%s envtest: %w\n%s", t.command, err, out)
	}
	both := []programs{{"patchlab", installed}}
	if t.kube != "" {
		both = append(both, programs{"kube-apiserver", filepath.Join(t.kube, "bin")})
	}
	head, rule := "| package |", "|---|"
	for _, p := range both {
		head += " " + p.name + " | skipped | seconds |"
		rule += "---:|---:|---:|"
	}
	fmt.Println(head + " failures of patchlab alone |\n" + rule + "---|")
	worse := 0
	for _, folder := range folders {
		program, err := compileTests(t.dir, folder)
		if err != nil {
			return err
		}
		row := "| " + filepath.ToSlash(folder) + " |"
		var results []*counted
		for _, p := range both {
			r := runTests(program, folder, p, program+"."+p.name+".log")
			results = append(results, r)
			row += fmt.Sprintf(" %d of %d | %d | %.1f |", r.passed, r.passed+len(r.failed), r.skipped, r.took.Seconds())
		}
		alone := results[0].failed
		if len(results) > 1 {
			alone = slices.DeleteFunc(slices.Clone(alone), func(name string) bool { return slices.Contains(results[1].failed, name) })
		}
		worse += len(alone)
		fmt.Println(row + " " + strings.Join(alone, ", ") + " |")
	}
	if worse > 0 {
		return fmt.Errorf("%d tests fail with patchlab alone", worse)
	}
	return nil
}

// compileTests builds the test program of the package in a folder, in the module that the folder is in.
func compileTests(dir, folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "bin", strings.ReplaceAll(strings.Trim(filepath.ToSlash(folder), "/"), "/", "-")+".test")
	c := exec.Command("go", "test", "-c", "-vet=off", "-o", program, ".")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", folder, err, out)
	}
	return program, nil
}

// runTests runs a test program with the given programs for envtest, and writes its output to a file.
func runTests(program, folder string, p programs, log string) *counted {
	ctx, cancel := context.WithTimeout(context.Background(), perSuite)
	defer cancel()
	c := exec.CommandContext(ctx, program, "-test.v")
	c.Dir, c.WaitDelay = folder, time.Second
	c.Env = append(os.Environ(), "KUBEBUILDER_ASSETS="+p.folder)
	began := time.Now()
	out, err := c.CombinedOutput()
	r := count(string(out))
	r.took = time.Since(began)
	if err != nil && (len(r.failed) == 0 || !ended.Match(out)) {
		r.failed = append(r.failed, err.Error()) // such as the end of the time
	}
	_ = os.WriteFile(log, out, 0o644)
	return r
}

// color matches the control sequences with which Ginkgo colors its output.
var color = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// count counts the specs of Ginkgo, and the tests that do not run specs.
func count(out string) *counted {
	out = color.ReplaceAllString(out, "")
	r, tests := &counted{}, testsOf(out)
	runners := r.addSpecs(out)
	if len(r.failed) > 0 && len(tests.failed) > 0 { // a test that runs specs fails with them
		tests.failed = tests.failed[1:]
		runners--
	}
	tests.passed -= runners
	r.add(tests)
	return r
}
