package server

import (
	"context"
	"sync"
	"time"
)

// deadline is the context of a request with a time limit, like that of [context.WithDeadline].
// Its timer is created when something first waits for Done: a request that is answered from
// memory needs none.
type deadline struct {
	context.Context
	at time.Time

	mu sync.Mutex
	// timed is the context with the timer, nil if there is none, and cancel ends it.
	timed  context.Context
	cancel context.CancelFunc
	ended  bool
}

// withDeadline returns a context that ends at a time, or with its parent. The caller must call
// end.
func withDeadline(parent context.Context, at time.Time) *deadline {
	return &deadline{Context: parent, at: at}
}

// Deadline returns the time at which the context ends.
func (d *deadline) Deadline() (time.Time, bool) {
	if at, ok := d.Context.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

// Done returns a channel that is closed at the end of the context.
func (d *deadline) Done() <-chan struct{} { return d.current(true).Done() }

// Err returns nil before the end of the context, and then the reason.
func (d *deadline) Err() error { return d.current(!time.Now().Before(d.at)).Err() }

// Value returns a value of the parent. It is also how derived contexts find the context with the
// timer, so that they end with it.
func (d *deadline) Value(key any) any { return d.current(false).Value(key) }

// current returns the context with the timer, or the parent if there is none yet. If start is
// true, or the context has ended, it is created.
func (d *deadline) current(start bool) context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed == nil && (start || d.ended) {
		d.timed, d.cancel = context.WithDeadline(d.Context, d.at)
		if d.ended {
			d.cancel()
		}
	}
	if d.timed == nil {
		return d.Context
	}
	return d.timed
}

// end ends the context and releases its timer.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.timed != nil {
		d.cancel()
	}
}
