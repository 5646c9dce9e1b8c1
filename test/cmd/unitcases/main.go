// Unitcases writes the objects of Kubernetes' own unit tests as cases that the command compare
// sends to a kube-apiserver and to patchlab:
//
//	go run ./cmd/kubeapiserver -kubernetes v1.36.3 -dir DIR
//	go run ./cmd/unitcases -kubernetes v1.36.3 -dir DIR CASES
//	go run ./cmd/compare -url URL -against URL -against-token TOKEN cases CASES
//
// It copies the source of k8s.io/kubernetes into DIR, adds to each function that validates or
// prepares an object a call that records its arguments, and runs the unit tests of these packages.
// A part of an object, such as a list of volumes, is put into a valid object. The tests reach rules
// that changes of valid objects do not reach.
//
// The cases are the work of Kubernetes' authors and are not part of this repository.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

//go:embed record.go.txt
var recorder []byte

const (
	module = "k8s.io/kubernetes"
	// recordFolder is the folder of the package that records, within the module.
	recordFolder = "pkg/apis/recorded"
)

func main() {
	kubernetes := flag.String("kubernetes", "v1.36.3", "version of Kubernetes")
	dir := flag.String("dir", "", "folder in which kubeapiserver has built that version, for the source and the recordings")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *kubernetes, *dir, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "unitcases:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubernetes, dir string, args []string) error {
	if dir == "" || len(args) != 1 {
		return errors.New("expected -dir DIR and the file to write")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	source, recordings, work := filepath.Join(dir, "unitcases", "source"), filepath.Join(dir, "unitcases", "recordings"), filepath.Join(dir, "unitcases", "module")
	for _, folder := range []string{source, recordings, work} {
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	if err := errors.Join(os.MkdirAll(recordings, 0o755), os.MkdirAll(work, 0o755)); err != nil {
		return err
	}
	if err := copySource(ctx, dir, kubernetes, source, work); err != nil {
		return err
	}
	packages, err := instrument(source)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "running the tests of %d packages\n", len(packages))
	test := command(ctx, work, "go", append([]string{"test", "-mod=mod", "-count=1", "-vet=off"}, packages...)...)
	test.Env = append(test.Env, "RECORDINGS="+recordings)
	if out, err := test.CombinedOutput(); err != nil {
		// A test that fails in the copy, for instance for lack of etcd, has recorded all the same.
		fmt.Fprintf(os.Stderr, "%s%v\n", failures(out), err)
	}
	count, err := convert(recordings, kubernetes, args[0])
	fmt.Fprintf(os.Stderr, "%d cases\n", count)
	return err
}

// copySource copies the module's source, and writes a module that uses the copy with the same
// dependencies as the kube-apiserver in dir.
func copySource(ctx context.Context, dir, kubernetes, source, work string) error {
	out, err := command(ctx, dir, "go", "list", "-m", "-f", "{{.Dir}}", module+"@"+kubernetes).Output()
	if err != nil {
		return fmt.Errorf("finding %s %s: %w", module, kubernetes, err)
	}
	if err := os.CopyFS(source, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		return err
	}
	built := filepath.Join(dir, "kube-apiserver")
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(built, name))
		if err != nil {
			return fmt.Errorf("%w: run kubeapiserver first", err)
		}
		if name == "go.mod" {
			data = fmt.Appendf(data, "\nreplace %s => %s\n", module, source)
		}
		if err := os.WriteFile(filepath.Join(work, name), data, 0o644); err != nil {
			return err
		}
	}
	folder := filepath.Join(source, recordFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "record.go"), recorder, 0o644); err != nil {
		return err
	}
	main := fmt.Sprintf("package unitcases\n\nimport _ %q\n", module+"/"+recordFolder)
	return os.WriteFile(filepath.Join(work, "unitcases.go"), []byte(main), 0o644)
}

func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off")
	return c
}

// failures returns the lines of go test's output that name failed packages.
func failures(out []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(line, []byte("FAIL")) {
			kept = append(kept, line...)
		}
	}
	return kept
}
