package program

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted is the error of reading standard input or a file after a signal.
var errInterrupted = errors.New("interrupted")

// UntilSignal returns a context that ends at the first signal to stop, so that servers close
// their connections. A second signal ends the program at once, whatever it does.
func UntilSignal() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// UntilDone makes the reads of standard input end with the context; nil remains nil.
func UntilDone(ctx context.Context, in io.Reader) io.Reader {
	if in == nil {
		return nil
	}
	return &interruptible{ctx: ctx, in: in}
}

// inherited returns the standard input for another program. A file is handed over as it is, so
// that nobody waits for its end after the program has ended.
func inherited(in io.Reader) io.Reader {
	if r, ok := in.(*interruptible); ok && r.read == nil && len(r.rest.data) == 0 {
		return r.in
	}
	return in
}

// interruptible reads from in until the context ends, also while a read blocks, as a terminal or a
// pipe without a writer does.
type interruptible struct {
	ctx  context.Context
	in   io.Reader
	read chan chunk // the result of a read that is under way; nil if there is none
	rest chunk
}

// A chunk is the result of one read.
type chunk struct {
	data []byte
	err  error
}

func (r *interruptible) Read(p []byte) (int, error) {
	if len(r.rest.data) == 0 && r.rest.err == nil {
		if r.read == nil {
			r.read = make(chan chunk, 1)
			go func(done chan<- chunk) {
				buffer := make([]byte, 64<<10)
				n, err := r.in.Read(buffer)
				done <- chunk{buffer[:n], err}
			}(r.read)
		}
		select {
		case r.rest = <-r.read:
			r.read = nil
		case <-r.ctx.Done():
			return 0, errInterrupted
		}
	}
	n := copy(p, r.rest.data)
	r.rest.data = r.rest.data[n:]
	if len(r.rest.data) > 0 {
		return n, nil
	}
	err := r.rest.err
	r.rest.err = nil
	return n, err
}
