package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
)

// TestReadsOfNamedPipesEndWithTheContext checks that a command that reads a pipe ends when it is told to
// stop, whether the pipe has no writer, so that opening it blocks, or one that writes nothing.
func TestReadsOfNamedPipesEndWithTheContext(t *testing.T) {
	for _, writer := range []bool{false, true} {
		pipe := filepath.Join(t.TempDir(), "pipe.yaml")
		if err := exec.Command("mkfifo", pipe).Run(); err != nil {
			t.Skip(err)
		}
		if writer {
			f, err := os.OpenFile(pipe, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
		}
		for _, args := range [][]string{{"lint", pipe}, {"apply", "-f", pipe}, {"run", pipe}, {"schema", "widget", "--crd", pipe}} {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var out, errOut strings.Builder
			app := &program.App{Out: &out, Err: &errOut, Now: time.Now}
			if code := run(ctx, app, args); code != program.ExitRefused || errOut.String() != "error: "+pipe+": interrupted\n" {
				t.Errorf("%v: exit code %d: %s", args, code, errOut.String())
			}
		}
	}
}
