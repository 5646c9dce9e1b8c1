package program

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReadsEndWithTheContext checks that a read of a pipe without a writer ends when the program
// is told to stop.
func TestReadsEndWithTheContext(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r := UntilDone(ctx, in)
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
	if err := iotest.TestReader(UntilDone(t.Context(), strings.NewReader(text)), []byte(text)); err != nil {
		t.Error(err)
	}
	if UntilDone(t.Context(), nil) != nil || inherited(UntilDone(t.Context(), os.Stdin)) != os.Stdin {
		t.Error("another program does not get the same standard input")
	}
}
