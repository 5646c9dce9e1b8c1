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

// CacheOptions configure a cache. The zero value works.
type CacheOptions[T any] struct {
	// History, HistoryBytes and Size bound what the cache keeps of the past, as
	// in [MemoryOptions].
	History      int
	HistoryBytes int64
	Size         func(T) int
	// Wait bounds how long a read waits for the cache to reach the revision
	// that it needs, before it goes to the store beneath; 0 is three seconds.
	Wait time.Duration
}

// Cache is a [Store] that keeps the items of another one in memory, and their
// recent past. It follows that store with a single watch, from which it answers
// any number of lists and watches. Writes, and reads of one key, go to the store
// beneath.
//
// What it answers is as fresh as from the store beneath: a read without Cached
// first asks for the store's revision, and waits until the cache has reached it.
// One with Cached shows at least what was written through this cache.
// When the cache loses its watch it reads everything anew, and its own watchers
// end with [ErrSlow].
type Cache[T any] struct {
	Store[T] // the store beneath
	options  CacheOptions[T]
	ctx      context.Context // ends with the cache
	stop     context.CancelFunc
	over     chan struct{} // closed when nothing follows the store any more

	restarts atomic.Int64
	// wrote is the latest revision that was written through the cache: even a
	// read that may be old shows it.
	wrote    atomic.Int64
	mu       sync.Mutex    // guards what follows
	timeline *timeline[T]  // nil while the cache reads everything
	changed  chan struct{} // closed when timeline is replaced
	waiters  []waiter
	ask      func() // asks the watch beneath for a bookmark, nil while there is none
	asked    bool   // and it has not come yet
}

// waiter waits for a revision.
type waiter struct {
	revision int64
	reached  chan struct{}
}

// NewCache returns a cache of a store, which belongs to it: closing the cache
// closes the store. It returns at once and begins to read in the background.
func NewCache[T any](beneath Store[T], o CacheOptions[T]) *Cache[T] {
	if o.Wait <= 0 {
		o.Wait = 3 * time.Second
	}
	c := &Cache[T]{Store: beneath, options: o, changed: make(chan struct{}), over: make(chan struct{})}
	c.ctx, c.stop = context.WithCancel(context.Background())
	go c.run()
	return c
}

// Close implements [Store].
func (c *Cache[T]) Close() error {
	c.stop()
	err := c.Store.Close()
	<-c.over
	return err
}

// Restarts returns how often the cache has had to read everything anew.
func (c *Cache[T]) Restarts() int64 { return c.restarts.Load() }

// restartInterval is how long the cache waits before it lists and watches the store
// again after a failure.
const restartInterval = 100 * time.Millisecond

// run follows the store beneath until the cache is closed.
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

// follow reads everything and then takes events, until the watch ends.
func (c *Cache[T]) follow() error {
	w, err := c.Store.Watch(c.ctx, "", WatchOptions{Initial: true})
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
			b := bounds{writes: int64(c.options.History), bytes: c.options.HistoryBytes}
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

// replace publishes another timeline, nil while there is none. The watchers of
// the one before end: they may have missed something.
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

// take adds an event to the timeline.
func (c *Cache[T]) take(e Event[T]) {
	t := c.timeline // replaced by this goroutine alone
	if e.Type == Bookmark {
		t.mu.Lock()
		t.advance(e.Revision)
		t.mu.Unlock()
		c.mu.Lock()
		c.asked = false
		c.mu.Unlock()
	} else {
		t.mu.Lock()
		was, _ := t.index.Get(e.Key)
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

// advance makes a later revision the current one without a write.
func (t *timeline[T]) advance(revision int64) {
	if s := *t.now.Load(); revision > s.revision {
		s.revision = revision
		t.now.Store(&s)
	}
}

// reached releases those who wait for the revision, and asks for progress on
// behalf of the others.
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

// askLocked asks the watch beneath for a bookmark if somebody waits for one.
func (c *Cache[T]) askLocked() {
	if len(c.waiters) > 0 && !c.asked && c.ask != nil {
		c.asked = true
		go c.ask()
	}
}

// errBehind says that the cache has not reached a revision in time.
var errBehind = errors.New("the cache is behind")

// wait returns a timeline that has reached a revision, or errBehind.
func (c *Cache[T]) wait(ctx context.Context, revision int64) (*timeline[T], error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Wait)
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

// written notes a write that has succeeded.
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
	return c.written(c.Store.Create(ctx, key, value))
}

// Update implements [Store].
func (c *Cache[T]) Update(ctx context.Context, key string, opts UpdateOptions, try UpdateFunc[T]) (Item[T], error) {
	return c.written(c.Store.Update(ctx, key, opts, try))
}

// Delete implements [Store].
func (c *Cache[T]) Delete(ctx context.Context, key string, opts DeleteOptions[T]) (Item[T], error) {
	return c.written(c.Store.Delete(ctx, key, opts))
}

// Get implements [Store].
func (c *Cache[T]) Get(ctx context.Context, key string, opts GetOptions) (Item[T], error) {
	if !opts.Cached || keyspace.CheckKey(key) != nil {
		return c.Store.Get(ctx, key, opts)
	}
	t, err := c.fresh(ctx, opts.MinRevision, true)
	if errors.Is(err, errBehind) {
		return c.Store.Get(ctx, key, opts)
	}
	if err != nil {
		return Item[T]{}, err
	}
	e, ok := t.now.Load().index.Get(key)
	if !ok {
		return Item[T]{}, &KeyError{Op: "get", Key: key, Err: ErrNotFound}
	}
	return e.item(key), nil
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
	// The store beneath may still have what the cache has forgotten.
	if errors.Is(err, errBehind) || errors.Is(err, ErrCompacted) {
		return c.Store.List(ctx, text, opts)
	}
	return Page[T]{}, err
}

// Watch implements [Store]. A revision that the cache no longer keeps fails with
// a [*CompactedError], as in kube-apiserver, even if the store beneath has it:
// otherwise many clients that come back at once would each watch there.
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

// Compact implements [Store]. The cache catches up first, because what it has
// not seen is lost to it, and then forgets the same revisions.
func (c *Cache[T]) Compact(ctx context.Context, revision int64) error {
	t, behind := c.fresh(ctx, 0, false)
	if err := c.Store.Compact(ctx, revision); err != nil || behind != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := *t.now.Load(); revision > s.oldest {
		s.compact(revision)
		t.now.Store(&s)
	}
	return nil
}

// cacheWatcher is a watcher of a cache. The bookmarks of its ticks say how far
// the cache is; one that is requested waits for the store beneath.
type cacheWatcher[T any] struct {
	Watcher[T]
	cache *Cache[T]
}

// RequestBookmark implements [Watcher].
func (w *cacheWatcher[T]) RequestBookmark() {
	_, _ = w.cache.fresh(w.cache.ctx, 0, false) // else the bookmark is of an older revision
	w.Watcher.RequestBookmark()
}
