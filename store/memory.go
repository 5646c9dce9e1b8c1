package store

import (
	"context"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"
)

// MemoryOptions configure a store in memory. The zero value works.
type MemoryOptions[T any] struct {
	// Equal tells whether storing b in place of a would change nothing. nil
	// says that it always would.
	Equal func(a, b T) bool
	// UID returns the UID of a value, for preconditions. nil gives every value
	// the empty UID.
	UID func(T) string
	// History is how many of the latest revisions stay readable; 0 is
	// DefaultHistory.
	History int
}

// DefaultHistory is how many revisions a store in memory keeps if not told
// otherwise.
const DefaultHistory = 10_000

// Memory is a [Store] in memory. Reads take no lock; writes take turns and do
// no work of the caller's while they do.
type Memory[T any] struct {
	equal   func(a, b T) bool
	uid     func(T) string
	history int64

	now  atomic.Pointer[state[T]]
	done chan struct{} // closed by Close

	mu sync.Mutex // guards what follows, and every replacement of now
	// index is the writer's own; each write publishes a copy.
	index    *items[T]
	watchers map[string][]*watcher[T] // by the text of their scope
	closed   bool
}

var _ Store[int] = (*Memory[int])(nil)

// NewMemory returns an empty store.
func NewMemory[T any](opts MemoryOptions[T]) *Memory[T] {
	m := &Memory[T]{
		equal:    opts.Equal,
		uid:      opts.UID,
		history:  int64(opts.History),
		done:     make(chan struct{}),
		index:    btree.NewMap[string, *entry[T]](indexDegree),
		watchers: map[string][]*watcher[T]{},
	}
	if m.history <= 0 {
		m.history = DefaultHistory
	}
	if m.uid == nil {
		m.uid = func(T) string { return "" }
	}
	m.now.Store(newState[T]())
	return m
}

// Create implements [Store].
func (m *Memory[T]) Create(ctx context.Context, key string, value T) (Item[T], error) {
	if err := m.begin(ctx, "create", key); err != nil {
		return Item[T]{}, err
	}
	item, ok, err := m.swap(key, nil, &entry[T]{value: value})
	if err == nil && !ok {
		err = &KeyError{Op: "create", Key: key, Err: ErrExists}
	}
	return item, err
}

// Get implements [Store].
func (m *Memory[T]) Get(ctx context.Context, key string, opts GetOptions) (Item[T], error) {
	if err := m.begin(ctx, "get", key); err != nil {
		return Item[T]{}, err
	}
	s := m.now.Load()
	if opts.MinRevision > s.revision {
		return Item[T]{}, &FutureError{Revision: opts.MinRevision, Current: s.revision}
	}
	e, ok := s.index.Get(key)
	if !ok {
		return Item[T]{}, &KeyError{Op: "get", Key: key, Err: ErrNotFound}
	}
	return e.item(key), nil
}

// Update implements [Store].
func (m *Memory[T]) Update(ctx context.Context, key string, opts UpdateOptions, try UpdateFunc[T]) (Item[T], error) {
	for {
		if err := m.begin(ctx, "update", key); err != nil {
			return Item[T]{}, err
		}
		was, ok := m.now.Load().index.Get(key)
		if !ok && !opts.CreateMissing {
			return Item[T]{}, &KeyError{Op: "update", Key: key, Err: ErrNotFound}
		}
		current := was.item(key)
		if err := checkPreconditions(opts.Preconditions, current, m.uid); err != nil {
			return Item[T]{}, err
		}
		value, err := try(current)
		if err != nil {
			return Item[T]{}, err
		}
		if ok && m.equal != nil && m.equal(was.value, value) {
			return current, nil
		}
		if item, ok, err := m.swap(key, was, &entry[T]{value: value}); ok || err != nil {
			return item, err
		}
	}
}

// Delete implements [Store].
func (m *Memory[T]) Delete(ctx context.Context, key string, opts DeleteOptions[T]) (Item[T], error) {
	for {
		if err := m.begin(ctx, "delete", key); err != nil {
			return Item[T]{}, err
		}
		was, ok := m.now.Load().index.Get(key)
		if !ok {
			return Item[T]{}, &KeyError{Op: "delete", Key: key, Err: ErrNotFound}
		}
		current := was.item(key)
		if err := checkPreconditions(opts.Preconditions, current, m.uid); err != nil {
			return Item[T]{}, err
		}
		if opts.Validate != nil {
			if err := opts.Validate(current); err != nil {
				return Item[T]{}, err
			}
		}
		if item, ok, err := m.swap(key, was, nil); ok || err != nil {
			return item, err
		}
	}
}

// swap makes the write of a key: from the entry was (nil: none) to the entry
// now (nil: deletion), and gives now its revision. ok is false, and nothing is
// written, if the key's entry is not was.
func (m *Memory[T]) swap(key string, was, now *entry[T]) (item Item[T], ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return item, false, ErrClosed
	}
	if found, _ := m.index.Get(key); found != was {
		return item, false, nil
	}
	s := m.now.Load()
	revision := s.revision + 1
	if now == nil {
		m.index.Delete(key)
		item = Item[T]{Key: key, Value: was.value, Revision: revision}
	} else {
		now.revision = revision
		m.index.Set(key, now)
		item = now.item(key)
	}
	m.now.Store(s.next(record[T]{key: key, now: now, was: was, index: m.index.Copy()}, m.history))
	m.notify(key, revision)
	return item, true, nil
}

// Count implements [Store].
func (m *Memory[T]) Count(ctx context.Context, text string) (int64, error) {
	sc, err := m.open(ctx, text)
	if err != nil {
		return 0, err
	}
	index := m.now.Load().index
	return int64(rankEnd(index, sc) - rank(index, sc.text)), nil
}

// rank returns how many keys of the index are less than key.
func rank[T any](index *items[T], key string) int {
	return sort.Search(index.Len(), func(i int) bool {
		k, _, _ := index.GetAt(i)
		return k >= key
	})
}

// rankEnd returns how many keys of the index come before the end of the scope.
func rankEnd[T any](index *items[T], sc scope) int {
	end, ok := sc.end()
	if !ok {
		return index.Len()
	}
	return rank(index, end)
}

// Revision implements [Store].
func (m *Memory[T]) Revision(ctx context.Context) (int64, error) {
	if err := m.alive(ctx); err != nil {
		return 0, err
	}
	return m.now.Load().revision, nil
}

// Compact implements [Store].
func (m *Memory[T]) Compact(ctx context.Context, revision int64) error {
	if err := m.alive(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := *m.now.Load()
	switch {
	case m.closed:
		return ErrClosed
	case revision <= s.oldest:
		return &CompactedError{Revision: revision, Oldest: s.oldest}
	case revision > s.revision:
		return &FutureError{Revision: revision, Current: s.revision}
	}
	s.oldest = revision
	s.trim()
	m.now.Store(&s)
	return nil
}

// Close implements [Store].
func (m *Memory[T]) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		m.watchers = nil
		close(m.done)
	}
	return nil
}

// alive refuses calls on a closed store or with a done context.
func (m *Memory[T]) alive(ctx context.Context) error {
	select {
	case <-m.done:
		return ErrClosed
	default:
		return ctx.Err()
	}
}

// begin is how a call about one key starts.
func (m *Memory[T]) begin(ctx context.Context, op, key string) error {
	if err := checkKey(key); err != nil {
		return &KeyError{Op: op, Key: key, Err: err}
	}
	return m.alive(ctx)
}

// open is how a call about a scope starts.
func (m *Memory[T]) open(ctx context.Context, text string) (scope, error) {
	sc, err := newScope(text)
	if err != nil {
		return sc, err
	}
	return sc, m.alive(ctx)
}

// item returns what callers see of an entry; nil is a key that does not exist.
func (e *entry[T]) item(key string) Item[T] {
	if e == nil {
		return Item[T]{Key: key}
	}
	return Item[T]{Key: key, Value: e.value, Revision: e.revision}
}
