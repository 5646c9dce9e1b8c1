package main

import (
	"os/exec"
	"path/filepath"
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
