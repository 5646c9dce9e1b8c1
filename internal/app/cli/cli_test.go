package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/serving"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/reference"
)

func TestMain(m *testing.M) {
	run := func(ref *verify.Reference) func() {
		return func() {
			ids := 0
			uid := func() string { ids++; return fmt.Sprint("uid-", ids) }
			now := func() time.Time { return time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC) }
			app := &program.App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: now, UID: uid, Program: program.NameOf(os.Args[0]), Linked: program.Linked{Reference: ref}}
			os.Exit(run(context.Background(), app, called(os.Args[0], os.Args[1:])))
		}
	}
	testscript.Main(m, map[string]func(){
		"patchlab":                  run(nil),
		"kubectl-patchlab":          run(nil),
		"kubectl_complete-patchlab": run(nil),
		serving.KubeAPIServer:       run(nil),
		serving.EtcdStandIn:         run(nil),
		program.ReferenceProgram: run(&verify.Reference{
			Merge: func() fieldmanager.Engine { return reference.Merger() }, Patch: reference.Patch{},
		}),
	})
}

// TestScripts runs the scripts in testdata/script/*.txtar. Each holds commands, their
// expected output and their input files.
func TestScripts(t *testing.T) {
	testdata, err := filepath.Abs("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TESTDATA", testdata)
			return nil
		},
	})
}

func TestWithoutTheReferenceProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out, errOut bytes.Buffer
	if code := Run([]string{"verify", "--random", "5"}, nil, &out, &errOut); code != program.ExitRefused {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{program.ReferenceProgram, "make build", "go install"} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("the message does not contain %s:\n%s", want, errOut.String())
		}
	}
}

// TestWithoutKubectl checks that the error names the command to run if kubectl is not
// installed.
func TestWithoutKubectl(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	var out, errOut bytes.Buffer
	code := Run([]string{"apply", "configmap/a", file}, nil, &out, &errOut)
	if want := "kubectl was not found on the PATH; it is required to run: kubectl get configmap/a"; code != program.ExitRefused || !strings.Contains(errOut.String(), want) {
		t.Errorf("code %d, %q, want %d and %q", code, errOut.String(), program.ExitRefused, want)
	}
}
