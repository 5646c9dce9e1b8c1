package store

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// timeline is a sequence of states in memory with its watchers. [Memory] writes to it, and
// [Cache] fills it from another store. Reads take no lock; writes are serialized.
type timeline[T any] struct {
	bounds bounds
	size   func(T) int

	now  atomic.Pointer[state[T]]
	done chan struct{} // closed by end

	mu sync.Mutex // guards the fields below, and every replacement of now
	// index is used only by the writer; each write publishes a copy for readers.
	index    *items[T]
	watchers map[string][]*watcher[T] // by the text of the scope
	err      error                    // why it ended; nil until then
}

// newTimeline returns a timeline with the items of index at a revision. It takes ownership of
// index.
func newTimeline[T any](revision int64, index *items[T], b bounds, size func(T) int) *timeline[T] {
	t := &timeline[T]{bounds: b, size: size, done: make(chan struct{}), index: index, watchers: map[string][]*watcher[T]{}}
	if t.bounds.writes <= 0 {
		t.bounds.writes = DefaultHistory
	}
	if t.bounds.bytes <= 0 {
		t.bounds.bytes = DefaultHistoryBytes
	}
	if t.size == nil {
		t.size = func(T) int { return 0 }
	}
	t.now.Store(newState(revision, index.Copy()))
	return t
}

// append publishes a write that replaces the entry was (nil: absent) by now (nil: deletion).
// t.mu must be held.
func (t *timeline[T]) append(key string, was, now *entry[T], revision int64) {
	r := record[T]{key: key, revision: revision, now: now, was: was}
	if was != nil {
		r.bytes = int64(t.size(was.value))
	}
	if now == nil {
		t.index.Delete(key)
	} else {
		t.index.Set(key, now)
	}
	r.index = t.index.Copy()
	next := t.now.Load().next(r, t.bounds)
	t.now.Store(next)
	t.notify(key, revision, next.last)
}

// notify notifies the watchers of a key about a write. t.mu must be held, so that
// notifications are in the order of revisions.
func (t *timeline[T]) notify(key string, revision, number int64) {
	if len(t.watchers) == 0 {
		return
	}
	keyspace.EachScope(key, func(text string) {
		for _, w := range t.watchers[text] {
			w.written(revision, number)
		}
	})
}

// end makes all calls and watchers fail with err. Only the first call has an effect.
func (t *timeline[T]) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
		t.watchers = nil
		close(t.done)
	}
}

// alive returns the error with which calls fail, or ctx's error.
func (t *timeline[T]) alive(ctx context.Context) error {
	select {
	case <-t.done:
		return t.err // not written after done is closed
	default:
		return ctx.Err()
	}
}
