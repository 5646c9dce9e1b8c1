package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// CacheOptions configure a [Cache]. The zero value is valid.
type CacheOptions[T any] struct {
	// History, HistoryBytes, WatchCompacted and Size limit the past revisions that the cache keeps,
	// as in [MemoryOptions].
	History        int
	HistoryBytes   int64
	WatchCompacted int
	Size           func(T) int
	// Wait is the maximum time that a read waits until the cache has reached the revision that
	// it needs. After that the read goes to the underlying store. 0 is three seconds.
	Wait time.Duration
}

// Cache is a [Store] that holds the items of another store, and their recent history, in
// memory. [NewCache] returns one; a zero Cache is not usable. It follows that store with a single watch, and serves any number of lists and
// watches from memory. Writes, counts, and reads of a single key, go to the underlying store.
//
// Its reads are as fresh as those of the underlying store: a read without Cached first gets
// the store's revision, and waits until the cache has reached it. A read with Cached includes
// at least all writes that were made through this cache. If the watch fails, the cache reads
// all items again, and the watchers of the cache end with [ErrSlow].
type Cache[T any] struct {
	beneath Store[T]
	options CacheOptions[T]
	ctx     context.Context // canceled when the cache is closed
	stop    context.CancelFunc
	over    chan struct{} // closed when the cache has stopped following the store

	restarts atomic.Int64
	// wrote is the latest revision that was written through the cache. Reads with Cached are
	// not older.
	wrote    atomic.Int64
	mu       sync.Mutex    // guards the fields below
	timeline *timeline[T]  // nil while the cache reads all items
	changed  chan struct{} // closed when timeline is replaced
	waiters  []waiter
	ask      func() // requests a bookmark from the underlying watch; nil while there is no watch
	asked    bool   // a bookmark is requested and has not arrived
}

// waiter is a read that waits for a revision.
type waiter struct {
	revision int64
	reached  chan struct{}
}

// NewCache returns a cache of a store and takes ownership of it: closing the cache closes the
// store. It returns at once; the cache fills in the background.
func NewCache[T any](beneath Store[T], o CacheOptions[T]) *Cache[T] {
	if o.Wait <= 0 {
		o.Wait = 3 * time.Second
	}
	c := &Cache[T]{beneath: beneath, options: o, changed: make(chan struct{}), over: make(chan struct{})}
	c.ctx, c.stop = context.WithCancel(context.Background())
	go c.run()
	return c
}

// Close implements [Store].
func (c *Cache[T]) Close() error {
	c.stop()
	err := c.beneath.Close()
	<-c.over
	return err
}

// Restarts returns how many times the cache has read all items again.
func (c *Cache[T]) Restarts() int64 { return c.restarts.Load() }

// restartInterval is the delay before the cache lists and watches the store again after a
// failure.
const restartInterval = 100 * time.Millisecond

// run follows the underlying store until the cache is closed.
func (c *Cache[T]) run() {
	defer close(c.over)
	for {
		err := c.follow()
		c.replace(nil, nil, err)
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(restartInterval):
			c.restarts.Add(1)
		}
	}
}

// follow lists all items and then processes events until the watch ends.
func (c *Cache[T]) follow() error {
	w, err := c.beneath.Watch(c.ctx, "", WatchOptions{Initial: true})
	if err != nil {
		return err
	}
	defer w.Stop()
	index := newIndex[T]()
	for {
		e, err := w.Next(c.ctx)
		if err != nil {
			return err
		}
		if e.InitialEnd {
			b := bounds{writes: int64(c.options.History), bytes: c.options.HistoryBytes, compacted: int64(c.options.WatchCompacted)}
			c.replace(newTimeline(e.Revision, index, b, c.options.Size), w.RequestBookmark, nil)
			break
		}
		index.Set(e.Key, &entry[T]{value: e.Value, revision: e.Revision})
	}
	for {
		e, err := w.Next(c.ctx)
		if err != nil {
			return err
		}
		c.take(e)
	}
}

// replace publishes a new timeline, or nil for none. The watchers of the previous timeline
// end, because they may have missed events.
func (c *Cache[T]) replace(t *timeline[T], ask func(), why error) {
	c.mu.Lock()
	old := c.timeline
	c.timeline, c.ask, c.asked = t, ask, false
	close(c.changed)
	c.changed = make(chan struct{})
	c.mu.Unlock()
	if t != nil {
		c.reached(t.now.Load().revision)
	}
	switch {
	case old == nil:
	case c.ctx.Err() != nil || errors.Is(why, ErrClosed):
		old.end(ErrClosed)
	default:
		at := old.now.Load().revision
		old.end(&CompactedError{Revision: at, Oldest: at + 1, Slow: true})
	}
}

// take appends an event to the timeline.
func (c *Cache[T]) take(e Event[T]) {
	t := c.timeline // only this goroutine replaces it
	if e.Type == Bookmark {
		t.mu.Lock()
		t.advance(e.Revision)
		t.mu.Unlock()
		c.mu.Lock()
		c.asked = false
		c.mu.Unlock()
	} else {
		t.mu.Lock()
		was := t.entry(e.Key)
		var now *entry[T]
		if e.Type != Deleted {
			now = &entry[T]{value: e.Value, revision: e.Revision}
		}
		if e.Revision > t.now.Load().revision && (was != nil || now != nil) {
			t.append(e.Key, was, now, e.Revision)
		}
		t.mu.Unlock()
	}
	c.reached(e.Revision)
}

// advance increases the current revision without a write.
func (t *timeline[T]) advance(revision int64) {
	if s := *t.now.Load(); revision > s.revision {
		s.revision = revision
		t.now.Store(&s)
	}
}

// reached wakes the reads that wait for a revision up to this one, and requests a bookmark for
// the others.
func (c *Cache[T]) reached(revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiters = slices.DeleteFunc(c.waiters, func(w waiter) bool {
		if w.revision <= revision {
			close(w.reached)
			return true
		}
		return false
	})
	c.askLocked()
}

// askLocked requests a bookmark from the underlying watch if a read waits for one. c.mu must
// be held.
func (c *Cache[T]) askLocked() {
	if len(c.waiters) > 0 && !c.asked && c.ask != nil {
		c.asked = true
		go c.ask()
	}
}

// errBehind reports that the cache has not reached a revision within CacheOptions.Wait.
var errBehind = errors.New("the cache is behind")

// wait returns a timeline that has reached the revision, or errBehind if that takes too long.
func (c *Cache[T]) wait(parent context.Context, revision int64) (*timeline[T], error) {
	ctx, cancel := context.WithTimeout(parent, c.options.Wait)
	defer cancel()
	for {
		c.mu.Lock()
		t, changed := c.timeline, c.changed
		if t != nil && t.now.Load().revision >= revision {
			c.mu.Unlock()
			return t, nil
		}
		w := waiter{revision: revision, reached: make(chan struct{})}
		if t != nil {
			c.waiters = append(c.waiters, w)
			c.askLocked()
		}
		c.mu.Unlock()
		select {
		case <-w.reached:
		case <-changed:
		case <-c.ctx.Done():
			return nil, ErrClosed
		case <-ctx.Done():
			c.mu.Lock()
			c.waiters = slices.DeleteFunc(c.waiters, func(other waiter) bool { return other.reached == w.reached })
			c.mu.Unlock()
			if err := parent.Err(); err != nil {
				return nil, err
			}
			return nil, errBehind
		}
	}
}

// fresh returns the timeline for a read, once it has reached the revision least and,
// unless cached is set, the current revision of the underlying store.
func (c *Cache[T]) fresh(ctx context.Context, least int64, cached bool) (*timeline[T], error) {
	if c.ctx.Err() != nil {
		return nil, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if cached {
		least = max(least, c.wrote.Load())
	}
	c.mu.Lock()
	t := c.timeline
	c.mu.Unlock()
	if t != nil && cached && t.now.Load().revision >= least {
		return t, nil
	}
	now, err := c.Revision(ctx)
	if err != nil {
		return nil, err
	}
	if least > now {
		return nil, &FutureError{Revision: least, Current: now}
	}
	if cached {
		now = least
	}
	return c.wait(ctx, now)
}

// written records the revision of a successful write.
func (c *Cache[T]) written(item Item[T], err error) (Item[T], error) {
	for err == nil {
		last := c.wrote.Load()
		if item.Revision <= last || c.wrote.CompareAndSwap(last, item.Revision) {
			break
		}
	}
	return item, err
}

// Create implements [Store].
func (c *Cache[T]) Create(ctx context.Context, key string, value T) (Item[T], error) {
	return c.written(c.beneath.Create(ctx, key, value))
}

// Update implements [Store].
func (c *Cache[T]) Update(ctx context.Context, key string, opts UpdateOptions, try UpdateFunc[T]) (Item[T], error) {
	return c.written(c.beneath.Update(ctx, key, opts, try))
}

// Delete implements [Store].
func (c *Cache[T]) Delete(ctx context.Context, key string, opts DeleteOptions[T]) (Item[T], error) {
	return c.written(c.beneath.Delete(ctx, key, opts))
}

// Get implements [Store].
func (c *Cache[T]) Get(ctx context.Context, key string, opts GetOptions) (Item[T], error) {
	if !opts.Cached || keyspace.CheckKey(key) != nil {
		return c.beneath.Get(ctx, key, opts)
	}
	t, err := c.fresh(ctx, opts.MinRevision, true)
	if errors.Is(err, errBehind) {
		return c.beneath.Get(ctx, key, opts)
	}
	if err != nil {
		return Item[T]{}, err
	}
	return t.get(key)
}

// List implements [Store].
func (c *Cache[T]) List(ctx context.Context, text string, opts ListOptions[T]) (Page[T], error) {
	if _, err := keyspace.ParseScope(text); err != nil {
		return Page[T]{}, err
	}
	least, cached := max(opts.Revision, 0), opts.Cached
	if opts.Match == Exact {
		cached = true
	}
	if t, err := keyspace.DecodeToken(opts.Continue); opts.Continue != "" && err == nil && t.Revision > 0 {
		least, cached = t.Revision, true
	}
	t, err := c.fresh(ctx, least, cached)
	if err == nil {
		var page Page[T]
		if page, err = t.List(ctx, text, opts); err == nil {
			return page, nil
		}
	}
	// The underlying store may still have revisions that the cache does not.
	if errors.Is(err, errBehind) || errors.Is(err, ErrCompacted) {
		return c.beneath.List(ctx, text, opts)
	}
	return Page[T]{}, err
}

// Watch implements [Store]. As in kube-apiserver, a revision that the cache no longer has
// fails with a [*CompactedError], even if the underlying store has it. Otherwise many clients
// that reconnect at once would each open a watch there.
func (c *Cache[T]) Watch(ctx context.Context, text string, opts WatchOptions) (Watcher[T], error) {
	if _, err := keyspace.ParseScope(text); err != nil {
		return nil, err
	}
	least, cached := int64(0), true
	if opts.Initial || opts.After == 0 {
		least, cached = max(opts.After, 0), opts.Cached
	}
	t, err := c.fresh(ctx, least, cached)
	if errors.Is(err, errBehind) {
		return nil, &UnavailableError{Err: err}
	}
	if err != nil {
		return nil, err
	}
	w, err := t.Watch(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	return &cacheWatcher[T]{Watcher: w, cache: c}, nil
}

// Count implements [Store].
func (c *Cache[T]) Count(ctx context.Context, text string) (int64, error) {
	return c.beneath.Count(ctx, text)
}

// Revision implements [Store].
func (c *Cache[T]) Revision(ctx context.Context) (int64, error) { return c.beneath.Revision(ctx) }

// Compact implements [Store]. The cache first catches up, because it could not read compacted
// revisions afterwards, and then compacts its own history.
func (c *Cache[T]) Compact(ctx context.Context, revision int64) error {
	t, behind := c.fresh(ctx, 0, false)
	if err := c.beneath.Compact(ctx, revision); err != nil || behind != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := *t.now.Load(); revision > s.oldest {
		s.compact(revision, t.bounds)
		t.lose(t.now.Load(), &s)
		t.now.Store(&s)
	}
	return nil
}

// cacheWatcher is a watcher of a cache. Bookmarks due to ticks have the revision of the cache;
// a requested bookmark waits for the current revision of the underlying store.
type cacheWatcher[T any] struct {
	Watcher[T]
	cache *Cache[T]
}

// RequestBookmark implements [Watcher].
func (w *cacheWatcher[T]) RequestBookmark() {
	_, _ = w.cache.fresh(w.cache.ctx, 0, false) // on failure the bookmark has an older revision
	w.Watcher.RequestBookmark()
}
