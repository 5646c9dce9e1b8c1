package store

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// timeline is a sequence of states in memory with its watchers: what [Memory]
// writes to, and what [Cache] fills from another store. Reads take no lock;
// writes take turns.
type timeline[T any] struct {
	bounds bounds
	size   func(T) int

	now  atomic.Pointer[state[T]]
	done chan struct{} // closed by end

	mu sync.Mutex // guards what follows, and every replacement of now
	// index is used by the writer only; each write publishes a copy for readers.
	index    *items[T]
	watchers map[string][]*watcher[T] // by the text of their scope
	err      error                    // why it ended; nil while it goes on
}

// newTimeline returns a timeline that begins at a revision with the items of
// index, which belongs to it from then on.
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

// append publishes a write: from the entry was (nil: none) to the entry now
// (nil: deletion). The caller holds t.mu.
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

// notify records a write with the watchers of its key. The caller holds t.mu,
// so notices come in the order of revisions.
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

// end makes every call and watcher fail with err. Only the first call counts.
func (t *timeline[T]) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
		t.watchers = nil
		close(t.done)
	}
}

// alive returns why calls fail, or ctx's error.
func (t *timeline[T]) alive(ctx context.Context) error {
	select {
	case <-t.done:
		return t.err // not written any more once done is closed
	default:
		return ctx.Err()
	}
}
