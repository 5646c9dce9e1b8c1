package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestReadsEndWithTheContext checks that a read of a pipe without a writer ends when the program
// is told to stop.
func TestReadsEndWithTheContext(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r := untilDone(ctx, in)
	go func() {
		_, _ = io.WriteString(out, "a")
		cancel()
	}()
	if text, err := io.ReadAll(r); string(text) != "a" && string(text) != "" || !errors.Is(err, errInterrupted) {
		t.Errorf("%q (%v)", text, err)
	}
}

// TestStandardInputIsReadWhole checks that the reader changes nothing but the end.
func TestStandardInputIsReadWhole(t *testing.T) {
	text := strings.Repeat("0123456789", 20_000)
	if err := iotest.TestReader(untilDone(t.Context(), strings.NewReader(text)), []byte(text)); err != nil {
		t.Error(err)
	}
	if untilDone(t.Context(), nil) != nil || inherited(untilDone(t.Context(), os.Stdin)) != os.Stdin {
		t.Error("another program does not get the same standard input")
	}
}

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
			app := &App{Out: &out, Err: &errOut, Now: time.Now}
			if code := app.run(ctx, args); code != exitRefused || errOut.String() != "error: "+pipe+": interrupted\n" {
				t.Errorf("%v: exit code %d: %s", args, code, errOut.String())
			}
		}
	}
}
