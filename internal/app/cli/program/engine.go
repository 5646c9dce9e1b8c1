package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"
)

// ReferenceProgram is patchlab with the reference engine. It is a separate program because the
// libraries would make patchlab larger and slower to start (doc/performance.md has the
// figures).
const ReferenceProgram = "patchlab-reference"

// EngineFlag selects the engine.
type EngineFlag struct{ Name string }

// Add adds the flag.
func (f *EngineFlag) Add(c *cobra.Command) {
	OneOf(c, &f.Name, "engine", "", "ours", "merge and patch engine: ours, or reference (the libraries of kube-apiserver, run by "+ReferenceProgram+")", "ours", "reference")
}

// Elsewhere reports whether the engine is not part of this program.
func (f *EngineFlag) Elsewhere(a *App) bool { return f.Name == "reference" && a.Reference == nil }

// HandOver executes the program with the reference engine, with the same arguments. use is
// what requires it.
func (a *App) HandOver(ctx context.Context, use string) error {
	return a.HandOverTo(ctx, ReferenceProgram, use, "github.com/patchlab-dev/patchlab/cmd/"+ReferenceProgram)
}

// HandOverTo executes another program with the same arguments, because this one lacks a part.
func (a *App) HandOverTo(ctx context.Context, name, missing, pkg string) error {
	program, ok := Find(name)
	if !ok {
		return errors.New(missing + " requires the program " + name + ", which was found neither in the directory of patchlab nor on the PATH\n" + HowToInstall(pkg))
	}
	return a.RunWith(ctx, program)
}

// HowToInstall returns the advice on a missing program.
func HowToInstall(pkg string) string {
	return "Build it with 'make build', or run: go install " + pkg + "@latest"
}

// RunWith executes another program with the same arguments.
func (a *App) RunWith(ctx context.Context, program string) error {
	args, in, remove, err := a.handedOver()
	defer remove()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, program, args...)
	c.Stdin, c.Stdout, c.Stderr = inherited(in), a.Out, a.Err
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	err = c.Run()
	if c.ProcessState != nil && c.ProcessState.Success() {
		return nil // also after an interrupt
	}
	var status *exec.ExitError
	if errors.As(err, &status) && status.ExitCode() > 0 {
		return &Exit{Code: status.ExitCode()} // the program has printed the error
	}
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	return nil
}

// FileName returns the file name of a program on this operating system.
func FileName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// Find returns the path of one of patchlab's programs, in the directory of this one or
// on the PATH.
func Find(name string) (string, bool) {
	name = FileName(name)
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, true
		}
	}
	found, err := exec.LookPath(name)
	return found, err == nil
}
