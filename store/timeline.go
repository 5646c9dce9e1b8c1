package store

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// timeline is a sequence of states in memory with its watchers. [Memory] writes to it, and
// [Cache] fills it from another store. Writes are serialized; reads wait for a write's change
// of the index at most, not for its notifications.
type timeline[T any] struct {
	bounds bounds
	size   func(T) int

	now  atomic.Pointer[state[T]]
	done chan struct{} // closed by end

	// reading guards index, and its agreement with now. It is taken within mu.
	reading sync.RWMutex
	index   *items[T]

	mu       sync.Mutex               // guards the fields below, and every replacement of now
	watchers map[string][]*watcher[T] // by the text of the scope
	err      error                    // why it ended; nil until then
	// lost has the revision of the latest write that the history no longer has, for each prefix of
	// [keyspace.EachResource]. It is complete for writes after begins.
	begins int64
	lost   map[string]int64
}

// maxLost is the maximum number of prefixes in timeline.lost, which take about 1 MB.
const maxLost = 10_000

// newTimeline returns a timeline with the items of index at a revision. It takes ownership of
// index.
func newTimeline[T any](revision int64, index *items[T], b bounds, size func(T) int) *timeline[T] {
	t := &timeline[T]{bounds: b, size: size, done: make(chan struct{}), index: index, watchers: map[string][]*watcher[T]{}, begins: revision, lost: map[string]int64{}}
	if t.bounds.writes <= 0 {
		t.bounds.writes = DefaultHistory
	}
	if t.bounds.bytes <= 0 {
		t.bounds.bytes = DefaultHistoryBytes
	}
	if t.size == nil {
		t.size = func(T) int { return 0 }
	}
	t.now.Store(newState[T](revision))
	return t
}

// append publishes a write that replaces the entry was (nil: absent) by now (nil: deletion).
// t.mu must be held.
func (t *timeline[T]) append(key string, was, now *entry[T], revision int64) {
	r := record[T]{key: key, revision: revision, now: now, was: was}
	if was != nil {
		r.bytes = int64(t.size(was.value))
	}
	t.notify(key, revision, t.record(r).last)
}

// record changes the index and publishes the next state, which it returns. t.mu must be held.
func (t *timeline[T]) record(r record[T]) *state[T] {
	t.reading.Lock()
	defer t.reading.Unlock()
	r.apply(t.index)
	was := t.now.Load()
	next := was.next(r, t.bounds, t.index)
	t.lose(was, next)
	t.now.Store(next)
	return next
}

// lose notes which writes of a state the next one no longer has. t.mu must be held.
func (t *timeline[T]) lose(was, next *state[T]) {
	for n := was.start + 1; n <= next.start; n++ {
		state := was
		if n > was.last {
			state = next // which keeps only its last write
		}
		r := state.at(n)
		if len(t.lost)+2 > maxLost {
			clear(t.lost)
			t.begins = r.revision
		}
		keyspace.EachResource(r.key, func(prefix string) { t.lost[prefix] = r.revision })
	}
}

// complete reports whether the history has every write in a scope after a revision. The revision may be older
// than the oldest one that can be listed, if no write to the resource of the scope has been lost since. t.mu must
// be held.
func (t *timeline[T]) complete(scope keyspace.Scope, after, oldest int64) bool {
	prefix := ""
	keyspace.EachResource(scope.Text, func(longer string) { prefix = longer })
	return after >= oldest || prefix != "" && after >= t.begins && after >= t.lost[prefix]
}

// entry returns the current entry of a key, nil if there is none.
func (t *timeline[T]) entry(key string) *entry[T] {
	t.reading.RLock()
	defer t.reading.RUnlock()
	e, _ := t.index.Get(key)
	return e
}

// current returns the current state and a copy of its index. The copy shares all nodes with
// the index until one of them is changed.
func (t *timeline[T]) current() (*state[T], *items[T]) {
	t.reading.Lock() // copying changes an index
	defer t.reading.Unlock()
	return t.now.Load(), t.index.Copy()
}

// indexAt returns the index at a revision between the oldest one of s and the current one. index
// is a copy of the current index; the writes after the revision are undone in it, or in the
// copy of a later block, if that leaves fewer writes to undo.
func (t *timeline[T]) indexAt(revision int64, s *state[T], index *items[T]) *items[T] {
	last, n := s.find(revision)-1, s.last
	if b := (last-s.first)/blockSize + 1; last < n && b < int64(len(s.blocks)) {
		t.reading.Lock() // copying changes an index
		index, n = s.blocks[b].index.Copy(), s.first+b*blockSize
		t.reading.Unlock()
	}
	for ; n > last; n-- {
		s.at(n).undo(index)
	}
	return index
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
