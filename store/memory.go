package store

import (
	"context"
	"sort"
	"time"
	"weak"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// MemoryOptions configure a [Memory] store. The zero value is valid.
type MemoryOptions[T any] struct {
	// Equal reports whether an update from a to b is a no-op. With nil every update is a
	// write.
	Equal func(a, b T) bool
	// UID returns the UID of a value, for preconditions. With nil every UID is empty.
	UID func(T) string
	// History is the number of latest writes that stay readable; 0 is DefaultHistory.
	History int
	// Size returns the size of a value in bytes, for HistoryBytes and MaxBytes. With nil
	// neither has an effect.
	Size func(T) int
	// HistoryBytes limits the total size of the replaced or deleted values that stay readable;
	// 0 is DefaultHistoryBytes. Up to a quarter more may be in use until it is released. The
	// latest values do not count, and the latest write is always readable.
	HistoryBytes int64
	// WatchCompacted is the number of latest writes that watches still get after a compaction. As kube-apiserver's watch
	// cache does, it spares clients that were interrupted for long a new list.
	WatchCompacted int
	// MaxBytes is the maximum size of a value; larger ones are refused with ErrTooLarge. 0 is
	// no limit.
	MaxBytes int
	// Lifetime returns the time after which a value is deleted, counted from its write; 0 is
	// without limit. With nil no value expires.
	Lifetime func(T) time.Duration
}

// The default limits of the history in memory.
const (
	DefaultHistory      = 10_000
	DefaultHistoryBytes = 64 << 20
)

// Memory is a [Store] in memory. [NewMemory] returns one; a zero Memory is not usable. Writes are
// serialized, but hold no lock while they call the caller's functions, and readers do not wait while
// watchers are notified.
type Memory[T any] struct {
	*timeline[T]
	options MemoryOptions[T]
	timers  map[string]*time.Timer // of the values with a lifetime, by key; guarded by mu
}

var _ Store[int] = (*Memory[int])(nil)

// NewMemory returns an empty store.
func NewMemory[T any](opts MemoryOptions[T]) *Memory[T] { return newMemory(1, newIndex[T](), opts) }

func newMemory[T any](revision int64, index *items[T], opts MemoryOptions[T]) *Memory[T] {
	b := bounds{writes: int64(opts.History), bytes: opts.HistoryBytes, compacted: int64(opts.WatchCompacted)}
	m := &Memory[T]{timeline: newTimeline(revision, index, b, opts.Size), options: opts}
	if opts.UID == nil {
		m.options.UID = func(T) string { return "" }
	}
	return m
}

// Create implements [Store].
func (m *Memory[T]) Create(ctx context.Context, key string, value T) (Item[T], error) {
	if err := m.begin(ctx, "create", key); err != nil {
		return Item[T]{}, err
	}
	if err := m.checkSize("create", key, value); err != nil {
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
	if s := m.now.Load(); opts.MinRevision > s.revision {
		return Item[T]{}, &FutureError{Revision: opts.MinRevision, Current: s.revision}
	}
	return m.get(key)
}

// Update implements [Store].
func (m *Memory[T]) Update(ctx context.Context, key string, opts UpdateOptions, try UpdateFunc[T]) (Item[T], error) {
	for {
		if err := m.begin(ctx, "update", key); err != nil {
			return Item[T]{}, err
		}
		was := m.entry(key)
		if was == nil && !opts.CreateMissing {
			return Item[T]{}, &KeyError{Op: "update", Key: key, Err: ErrNotFound}
		}
		current := was.item(key)
		if err := opts.Preconditions.Check(key, m.uid(was), current.Revision); err != nil {
			return Item[T]{}, err
		}
		value, err := try(current)
		if err != nil {
			return Item[T]{}, err
		}
		if was != nil && m.options.Equal != nil && m.options.Equal(was.value, value) {
			return current, nil
		}
		if err := m.checkSize("update", key, value); err != nil {
			return Item[T]{}, err
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
		was := m.entry(key)
		if was == nil {
			return Item[T]{}, &KeyError{Op: "delete", Key: key, Err: ErrNotFound}
		}
		current := was.item(key)
		if err := opts.Preconditions.Check(key, m.uid(was), current.Revision); err != nil {
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

// swap writes a key: it replaces the entry was (nil: absent) by now (nil: deletion), and sets
// now's revision. ok is false, and nothing is written, if the key's entry is no longer was.
func (m *Memory[T]) swap(key string, was, now *entry[T]) (item Item[T], ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return item, false, m.err
	}
	if m.entry(key) != was {
		return item, false, nil
	}
	revision := m.now.Load().revision + 1
	if now == nil {
		item = Item[T]{Key: key, Value: was.value, Revision: revision}
	} else {
		now.revision = revision
		item = now.item(key)
	}
	m.expire(key, now)
	m.append(key, was, now, revision)
	return item, true, nil
}

// expire replaces the timer of a key by one that deletes it at the end of the entry's lifetime, if
// it still has that entry. now is nil after a deletion. m.mu must be held.
func (m *Memory[T]) expire(key string, now *entry[T]) {
	if m.options.Lifetime == nil {
		return
	}
	if timer, ok := m.timers[key]; ok {
		timer.Stop()
		delete(m.timers, key)
	}
	if now == nil {
		return
	}
	d := m.options.Lifetime(now.value)
	if d <= 0 {
		return
	}
	if m.timers == nil {
		m.timers = map[string]*time.Timer{}
	}
	// The timer does not keep a store alive that nobody uses any more.
	store := weak.Make(m)
	m.timers[key] = time.AfterFunc(d, func() {
		if m := store.Value(); m != nil {
			_, _, _ = m.swap(key, now, nil)
		}
	})
}

// checkSize returns an error for a value that exceeds the maximum size.
func (m *Memory[T]) checkSize(op, key string, value T) error {
	if m.options.MaxBytes <= 0 {
		return nil
	}
	if size := m.size(value); size > m.options.MaxBytes {
		return &KeyError{Op: op, Key: key, Err: &SizeError{size}}
	}
	return nil
}

// uid returns the UID of an entry, "" for an absent key.
func (m *Memory[T]) uid(e *entry[T]) string {
	if e == nil {
		return ""
	}
	return m.options.UID(e.value)
}

// Count implements [Store].
func (m *Memory[T]) Count(ctx context.Context, text string) (int64, error) {
	sc, err := m.open(ctx, text)
	if err != nil {
		return 0, err
	}
	m.reading.RLock()
	defer m.reading.RUnlock()
	return int64(rankEnd(m.index, sc) - rank(m.index, sc.Text)), nil
}

// rank returns how many keys of the index are less than key.
func rank[T any](index *items[T], key string) int {
	return sort.Search(index.Len(), func(i int) bool {
		k, _, _ := index.GetAt(i)
		return k >= key
	})
}

// rankEnd returns how many keys of the index come before the end of the scope.
func rankEnd[T any](index *items[T], sc keyspace.Scope) int {
	end, ok := sc.End()
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
	if m.err != nil {
		return m.err
	}
	s := *m.now.Load()
	switch {
	case revision <= s.oldest:
		return &CompactedError{Revision: revision, Oldest: s.oldest}
	case revision > s.revision:
		return &FutureError{Revision: revision, Current: s.revision}
	}
	s.compact(revision, m.bounds)
	m.lose(m.now.Load(), &s)
	m.now.Store(&s)
	return nil
}

// Close implements [Store].
func (m *Memory[T]) Close() error {
	m.end(ErrClosed)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, timer := range m.timers {
		timer.Stop()
	}
	m.timers = nil
	return nil
}

// begin checks the key of a call and that the store is not closed.
func (m *timeline[T]) begin(ctx context.Context, op, key string) error {
	if err := keyspace.CheckKey(key); err != nil {
		return &KeyError{Op: op, Key: key, Err: err}
	}
	return m.alive(ctx)
}

// get returns the current item of a key.
func (t *timeline[T]) get(key string) (Item[T], error) {
	e := t.entry(key)
	if e == nil {
		return Item[T]{}, &KeyError{Op: "get", Key: key, Err: ErrNotFound}
	}
	return e.item(key), nil
}

// open parses the scope of a call and checks that the store is not closed.
func (m *timeline[T]) open(ctx context.Context, text string) (keyspace.Scope, error) {
	sc, err := keyspace.ParseScope(text)
	if err != nil {
		return sc, err
	}
	return sc, m.alive(ctx)
}

// item returns the entry as an Item; a nil entry is an absent key.
func (e *entry[T]) item(key string) Item[T] {
	if e == nil {
		return Item[T]{Key: key}
	}
	return Item[T]{Key: key, Value: e.value, Revision: e.revision}
}
