package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// watcher follows a timeline. It has no queue: it keeps the number of the first record that it
// has not delivered, and reads it from the history. The writer's work for a watcher is to set
// a number, and a slow watcher takes no memory.
type watcher[T any] struct {
	store *timeline[T]
	scope keyspace.Scope
	// floor is the first revision whose events are delivered.
	floor int64
	ticks <-chan time.Time
	wake  chan struct{} // holds a token if there may be an event

	// The fields below are used only by Next.
	initial *initialEvents[T]
	err     error // the final error

	mu sync.Mutex // guards the fields below; a writer acquires timeline.mu first
	// first is the number of the first record in scope that is not delivered, 0 if there is
	// none; firstRevision is its revision or a lower one. last is at least the number of the
	// last such record.
	first, firstRevision, last int64
	// known is the number of the last record that first takes into account. A notification of
	// a record up to it is late and is ignored, because it would repeat an event.
	known int64
	// bookmark is the revision of the requested bookmark, 0 if there is none.
	bookmark int64
	stop     chan struct{} // nil after Stop
	stopped  <-chan struct{}
}

// Watch implements [Store].
func (m *timeline[T]) Watch(ctx context.Context, text string, opts WatchOptions) (Watcher[T], error) {
	sc, err := m.open(ctx, text)
	if err != nil {
		return nil, err
	}
	if err := opts.Check(); err != nil {
		return nil, err
	}
	w := &watcher[T]{store: m, scope: sc, ticks: opts.Ticks, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	w.stopped = w.stop
	s, err := m.follow(w, opts)
	if err != nil {
		return nil, err
	}
	if first := s.findIn(sc, s.find(w.floor-1), s.last); first != 0 {
		w.mu.Lock()
		w.first, w.firstRevision, w.last = first, s.at(first).revision, max(w.last, s.last)
		w.mu.Unlock()
	}
	return w, nil
}

// follow registers the watcher, which is then notified of every later write, and returns the
// current state.
func (m *timeline[T]) follow(w *watcher[T], opts WatchOptions) (*state[T], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return nil, m.err
	}
	s := m.now.Load()
	switch {
	case opts.Initial && opts.After > s.revision:
		return nil, &FutureError{Revision: opts.After, Current: s.revision}
	case opts.Initial:
		w.initial = &initialEvents[T]{revision: s.revision, from: w.scope.Text}
		w.floor = s.revision + 1
	case opts.After == 0:
		w.floor = s.revision + 1
	case !m.complete(w.scope, opts.After, s.oldest):
		return nil, &CompactedError{Revision: opts.After, Oldest: s.oldest}
	default:
		w.floor = opts.After + 1
	}
	m.watchers[w.scope.Text] = append(m.watchers[w.scope.Text], w)
	return s, nil
}

// written notifies the watcher of a write to a key in scope.
func (w *watcher[T]) written(revision, number int64) {
	if revision < w.floor {
		return
	}
	w.mu.Lock()
	fresh := number > w.known
	if fresh {
		w.last = number
		if w.first == 0 {
			w.first, w.firstRevision = number, revision
		}
	}
	w.mu.Unlock()
	if fresh {
		w.poke()
	}
}

// poke wakes Next.
func (w *watcher[T]) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Next implements [Watcher].
func (w *watcher[T]) Next(ctx context.Context) (Event[T], error) {
	for w.err == nil {
		if w.err = w.ended(); w.err != nil {
			break
		}
		e, ok, err := w.take()
		if err != nil {
			w.err = err
			w.Stop()
			break
		}
		if ok {
			return e, nil
		}
		if err := w.wait(ctx); err != nil {
			return Event[T]{}, err
		}
	}
	return Event[T]{}, w.err
}

// ended returns the error with which the watcher has ended, nil until then.
func (w *watcher[T]) ended() error {
	select {
	case <-w.stopped:
		return ErrClosed
	case <-w.store.done:
		return w.store.err
	default:
		return nil
	}
}

// wait waits until there may be a new event, or returns ctx's error.
func (w *watcher[T]) wait(ctx context.Context) error {
	select {
	case <-w.wake:
	case <-w.stopped:
	case <-w.store.done:
	case <-w.ticks:
		w.RequestBookmark()
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// take returns the next event if there is one.
func (w *watcher[T]) take() (Event[T], bool, error) {
	if w.initial != nil {
		return w.takeInitial()
	}
	w.mu.Lock()
	number, revision, asked := w.first, w.firstRevision, w.bookmark
	w.mu.Unlock()
	if number == 0 {
		return w.takeBookmark(asked)
	}
	s := w.store.now.Load()
	if number < s.start {
		return Event[T]{}, false, &CompactedError{Revision: revision, Oldest: s.oldest, Slow: true}
	}
	r := s.at(number)
	if asked != 0 && r.revision > asked {
		return w.takeBookmark(asked)
	}
	w.advance(s, number+1)
	if !w.scope.Contains(r.key) {
		return w.take()
	}
	return r.event(), true, nil
}

// takeBookmark returns the requested bookmark, if there is one.
func (w *watcher[T]) takeBookmark(asked int64) (Event[T], bool, error) {
	if asked == 0 {
		return Event[T]{}, false, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bookmark == asked { // no later one has been requested meanwhile
		w.bookmark = 0
	}
	return Event[T]{Type: Bookmark, Revision: asked}, true, nil
}

// advance finds the next undelivered event from a record on. It runs before the current event
// is returned, so that first is the number of a record in scope. If first could be the number
// of any record, compaction of other keys' records would look like a loss. The exception is a
// write after s was read: first is then a record at or before it, and take searches again.
func (w *watcher[T]) advance(s *state[T], from int64) {
	next := s.findIn(w.scope, from, s.last)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known = s.last
	switch {
	case next != 0:
		w.first, w.firstRevision = next, s.at(next).revision
	case w.last > s.last:
		w.first, w.firstRevision = s.last+1, s.revision+1
	default:
		w.first, w.firstRevision = 0, 0
	}
}

// RequestBookmark implements [Watcher].
func (w *watcher[T]) RequestBookmark() {
	// While the store's lock is held, every watcher has been notified of every write. So no
	// event up to this revision is outstanding, and no later one can be delivered before the
	// request is recorded.
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	revision := w.store.now.Load().revision
	w.mu.Lock()
	w.bookmark = max(w.bookmark, revision, w.floor-1)
	w.mu.Unlock()
	w.poke()
}

// Stop implements [Watcher].
func (w *watcher[T]) Stop() {
	m := w.store
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.stop == nil {
		return
	}
	close(w.stop)
	w.stop = nil
	left := m.watchers[w.scope.Text]
	if i := slices.Index(left, w); i >= 0 {
		left = slices.Delete(left, i, i+1)
	}
	if len(left) == 0 {
		delete(m.watchers, w.scope.Text)
	} else {
		m.watchers[w.scope.Text] = left
	}
}

// initialBatch is the number of initial items that a watcher holds at a time. It reads the
// next ones from the history, like a paged list, so that it does not keep an old state in
// memory.
const initialBatch = 128

// initialEvents is the part of a watch before its first bookmark.
type initialEvents[T any] struct {
	revision int64  // of the listed state
	from     string // first key after batch
	batch    []Item[T]
}

// takeInitial returns the next initial event; the last is the bookmark.
func (w *watcher[T]) takeInitial() (Event[T], bool, error) {
	in := w.initial
	if len(in.batch) == 0 {
		if err := w.fill(in); err != nil {
			return Event[T]{}, false, err
		}
	}
	if len(in.batch) == 0 {
		w.initial = nil
		w.mu.Lock()
		if w.bookmark <= in.revision {
			w.bookmark = 0
		}
		w.mu.Unlock()
		return Event[T]{Type: Bookmark, Revision: in.revision, InitialEnd: true}, true, nil
	}
	item := in.batch[0]
	in.batch = in.batch[1:]
	return Event[T]{Type: Added, Key: item.Key, Value: item.Value, Revision: item.Revision}, true, nil
}

// fill reads the next batch of initial items.
func (w *watcher[T]) fill(in *initialEvents[T]) error {
	s, index := w.store.current()
	if in.revision < s.oldest {
		return &CompactedError{Revision: in.revision, Oldest: s.oldest, Slow: true}
	}
	index = w.store.indexAt(in.revision, s, index)
	follow := rankEnd(index, w.scope) - rank(index, in.from)
	batch, _, err := take(context.Background(), index, in.from, follow, ListOptions[T]{Limit: initialBatch})
	if len(batch) > 0 {
		in.from = batch[len(batch)-1].Key + "\x00"
	}
	in.batch = batch
	return err
}
