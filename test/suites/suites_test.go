package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestControllerRuntime runs some suites of controller-runtime, whose packages the
// tests of this module compile anyway.
func TestControllerRuntime(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles suites of others")
	}
	dir := t.TempDir()
	command := filepath.Join(dir, "patchlab-admission")
	build := exec.Command("go", "build", "-o", command, "./cmd/patchlab-admission")
	build.Dir = "../../admission"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	asked := &target{command: command, token: "suites", dir: dir}
	for _, name := range []string{"controller-runtime client", "controller-runtime controllerutil", "controller-runtime controller", "controller-runtime reconcile"} {
		t.Run(name, func(t *testing.T) {
			i := slices.IndexFunc(suites, func(s *suite) bool { return s.name == name })
			if i < 0 {
				t.Fatal("no such suite")
			}
			r, err := asked.run(suites[i])
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r.row(suites[i]))
			if r.passed == 0 {
				t.Error("nothing passed")
			}
			for _, failed := range r.unexpected(suites[i]) {
				t.Errorf("failed: %s", failed)
			}
		})
	}
}

// TestUnexpectedFailures: a failure counts unless the suite lists it with a reason.
func TestUnexpectedFailures(t *testing.T) {
	r := &result{failed: []string{"TestKnown", "TestNew"}}
	if got := r.unexpected(&suite{apart: map[string]string{"TestKnown": noCBOR}}); !slices.Equal(got, []string{"TestNew"}) {
		t.Errorf("unexpected: %q", got)
	}
}

// TestEndOfTests: a program that ends before its last test has no result, even if a test failed before, which may be one
// that is known to fail.
func TestEndOfTests(t *testing.T) {
	exit := errors.New("exit status 2")
	for _, c := range []struct {
		why, text string
		exit      error
		want      *result
	}{
		{"all tests passed", "--- PASS: TestA (0.00s)\nPASS\n", nil, &result{passed: 1}},
		{"a test failed", "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\n", exit, &result{passed: 1, failed: []string{"TestB"}}},
		{"a panic after a test that failed", "--- FAIL: TestA (0.00s)\n=== RUN   TestB\npanic: b\n", exit, nil},
		{"the end of the time", "--- PASS: TestA (0.00s)\n=== RUN   TestB\n", exit, nil},
		{"no tests", "PASS\n", nil, nil},
		{"a failure without a test", "--- PASS: TestA (0.00s)\nFAIL\n", exit, nil},
	} {
		r, err := (&testLog{text: c.text, failed: c.exit}).tests()
		if !reflect.DeepEqual(r, c.want) || (err != nil) != (c.want == nil) {
			t.Errorf("%s: %+v, %v, want %+v", c.why, r, err, c.want)
		}
	}
}
