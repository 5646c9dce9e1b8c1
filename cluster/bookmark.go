//go:build !js || watches

package cluster

import (
	"context"
	"sync"
	"time"
)

// lastBookmark is the time before the end of a watch at which its last bookmark is sent, so
// that the client can resume close to the present (apiserver/pkg/storage/cacher).
const lastBookmark = 2 * time.Second

// bookmarkTimer signals when a watch is to send bookmarks: at an interval, and before its end.
type bookmarkTimer struct {
	ticks    chan time.Time
	interval time.Duration
	end      time.Time // zero for a watch without an end

	// mu guards timer, which is nil where no bookmark follows and once the watch has stopped.
	mu    sync.Mutex
	timer *time.Timer
}

// newBookmarkTimer returns the timer of a watch that ends with ctx. The caller must stop it.
func newBookmarkTimer(ctx context.Context, interval time.Duration) *bookmarkTimer {
	t := &bookmarkTimer{ticks: make(chan time.Time, 1), interval: interval}
	t.end, _ = ctx.Deadline()
	t.mu.Lock()
	defer t.mu.Unlock()
	if wait, ok := t.next(time.Now()); ok {
		t.timer = time.AfterFunc(wait, t.tick)
	}
	return t
}

// next returns the time until the next bookmark; ok is false if there is none before the end.
func (t *bookmarkTimer) next(now time.Time) (wait time.Duration, ok bool) {
	wait = t.interval
	if !t.end.IsZero() {
		wait = min(wait, t.end.Add(-lastBookmark).Sub(now))
	}
	return wait, wait > 0
}

func (t *bookmarkTimer) tick() {
	now := time.Now()
	select {
	case t.ticks <- now:
	default: // the client has not read the previous one
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if wait, ok := t.next(now); ok && t.timer != nil {
		t.timer.Reset(wait)
	}
}

func (t *bookmarkTimer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}
