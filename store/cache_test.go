package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/storetest"
)

func TestCache(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Store[storetest.Value] {
		c := store.NewCache(newMemory(t), store.CacheOptions[storetest.Value]{})
		t.Cleanup(func() { _ = c.Close() })
		if _, err := c.List(t.Context(), "", store.ListOptions[storetest.Value]{}); err != nil { // starts the cache's history at this revision
			t.Fatal(err)
		}
		return c
	})
}

// counted counts the lists and watches that reach a store.
type counted struct {
	store.Store[string]
	gets, lists, watches, revisions atomic.Int64
	// held, if it is not nil, blocks the events of watches until it is closed.
	held chan struct{}
}

func (s *counted) Get(ctx context.Context, key string, opts store.GetOptions) (store.Item[string], error) {
	s.gets.Add(1)
	return s.Store.Get(ctx, key, opts)
}

func (s *counted) List(ctx context.Context, scope string, opts store.ListOptions[string]) (store.Page[string], error) {
	s.lists.Add(1)
	return s.Store.List(ctx, scope, opts)
}

func (s *counted) Revision(ctx context.Context) (int64, error) {
	s.revisions.Add(1)
	return s.Store.Revision(ctx)
}

func (s *counted) Watch(ctx context.Context, scope string, opts store.WatchOptions) (store.Watcher[string], error) {
	s.watches.Add(1)
	w, err := s.Store.Watch(ctx, scope, opts)
	if err != nil || s.held == nil {
		return w, err
	}
	return &heldWatcher{Watcher: w, held: s.held}, nil
}

// heldWatcher delivers the initial events. It delivers later events once held is
// closed.
type heldWatcher struct {
	store.Watcher[string]
	held  chan struct{}
	began bool
}

func (w *heldWatcher) Next(ctx context.Context) (store.Event[string], error) {
	if w.began {
		select {
		case <-w.held:
		case <-ctx.Done():
			return store.Event[string]{}, ctx.Err()
		}
	}
	e, err := w.Watcher.Next(ctx)
	w.began = w.began || e.InitialEnd
	return e, err
}

// newCounted returns a synced cache and its counting backend.
func newCounted(t *testing.T, held chan struct{}) (*store.Cache[string], *counted) {
	t.Helper()
	beneath := &counted{Store: stringStore(t, 0), held: held}
	for i := range 20 {
		if _, err := beneath.Create(t.Context(), fmt.Sprintf("/p/%02d", i), "1"); err != nil {
			t.Fatal(err)
		}
	}
	c := store.NewCache[string](beneath, store.CacheOptions[string]{})
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.List(t.Context(), "/p/", store.ListOptions[string]{}); err != nil {
		t.Fatal(err)
	}
	beneath.lists.Store(0)
	return c, beneath
}

// TestCacheWatchesBackendOnce checks that a thousand watchers and lists cause one watch and no
// list in the backend.
func TestCacheWatchesBackendOnce(t *testing.T) {
	c, beneath := newCounted(t, nil)
	var wg sync.WaitGroup
	for range 1000 {
		w, err := c.Watch(t.Context(), "/p/", store.WatchOptions{After: 21})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		wg.Go(func() {
			if e, err := w.Next(t.Context()); err != nil || e.Revision != 22 {
				t.Errorf("got %+v, %v", e, err)
			}
			page, err := c.List(t.Context(), "/p/", store.ListOptions[string]{Revision: 22, Cached: true})
			if err != nil || len(page.Items) != 21 {
				t.Errorf("%d items, %v", len(page.Items), err)
			}
		})
	}
	if _, err := c.Create(t.Context(), "/p/new", "1"); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	for range 100 {
		page, err := c.List(t.Context(), "/p/", store.ListOptions[string]{Limit: 7})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.List(t.Context(), "/p/", store.ListOptions[string]{Continue: page.Continue}); err != nil {
			t.Fatal(err)
		}
		if _, err = c.Get(t.Context(), "/p/new", store.GetOptions{Cached: true}); err != nil {
			t.Fatal(err)
		}
	}
	if w, l, g := beneath.watches.Load(), beneath.lists.Load(), beneath.gets.Load(); w != 1 || l != 0 || g != 0 {
		t.Errorf("%d watches, %d lists and %d gets beneath, want 1, 0 and 0", w, l, g)
	}
}

// TestCacheWaitsForRequiredRevision checks reads while the cache lags behind its backend.
// A read that allows stale data is served from the cache. A read that requires a
// revision waits for the cache or goes to the backend.
func TestCacheWaitsForRequiredRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		c, beneath := newCounted(t, held)
		item, err := beneath.Create(t.Context(), "/p/new", "1")
		if err != nil {
			t.Fatal(err)
		}
		list := func(opts store.ListOptions[string]) store.Page[string] {
			t.Helper()
			page, err := c.List(t.Context(), "/p/", opts)
			if err != nil {
				t.Fatal(err)
			}
			return page
		}
		if page := list(store.ListOptions[string]{Cached: true}); len(page.Items) != 20 || page.Revision != item.Revision-1 {
			t.Errorf("any version: %d items at %d", len(page.Items), page.Revision)
		}
		for name, opts := range map[string]store.ListOptions[string]{
			"the latest":         {},
			"not older than":     {Revision: item.Revision, Cached: true},
			"exactly a revision": {Revision: item.Revision, Match: store.Exact},
		} {
			if page := list(opts); len(page.Items) != 21 || page.Revision != item.Revision {
				t.Errorf("%s: %d items at %d", name, len(page.Items), page.Revision)
			}
		}
		if got, err := c.Get(t.Context(), "/p/new", store.GetOptions{MinRevision: item.Revision, Cached: true}); err != nil || got.Revision != item.Revision {
			t.Errorf("get: %+v, %v", got, err)
		}
		if _, err := c.Get(t.Context(), "/p/new", store.GetOptions{Cached: true}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("get of any version: %v", err)
		}
		var future *store.FutureError
		if _, err := c.List(t.Context(), "/p/", store.ListOptions[string]{Revision: 100, Cached: true}); !errors.As(err, &future) || future.Current != item.Revision {
			t.Errorf("a revision to come: %v", err)
		}
		if _, err := c.Watch(t.Context(), "/p/", store.WatchOptions{Initial: true}); !errors.As(err, new(*store.UnavailableError)) {
			t.Errorf("a watch of the latest state: %v", err)
		}
		canceled, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := c.Watch(canceled, "/p/", store.WatchOptions{Initial: true}); !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*store.UnavailableError)) {
			t.Errorf("a watch whose caller does not wait that long: %v", err)
		}
		lists := beneath.lists.Load()
		close(held)
		if page := list(store.ListOptions[string]{}); len(page.Items) != 21 || beneath.lists.Load() != lists {
			t.Errorf("after the cache has caught up: %d items, %d lists beneath", len(page.Items), beneath.lists.Load()-lists)
		}
	})
}

// TestCacheIncludesItsOwnWrites checks that a read that allows stale data includes earlier
// writes through the same cache.
func TestCacheIncludesItsOwnWrites(t *testing.T) {
	c, _ := newCounted(t, nil)
	for i := range 200 {
		item, err := c.Update(t.Context(), "/p/00", store.UpdateOptions{}, func(store.Item[string]) (string, error) { return fmt.Sprint(i), nil })
		if err != nil {
			t.Fatal(err)
		}
		if page, err := c.List(t.Context(), "/p/00", store.ListOptions[string]{Cached: true}); err != nil || page.Items[0] != item {
			t.Fatalf("got %+v (%v), want %+v", page, err, item)
		}
	}
}

// TestCacheRecoversFromFailedWatch checks that the cache's watchers get an error when the backend's
// watch fails and that new watchers and lists get the complete state.
func TestCacheRecoversFromFailedWatch(t *testing.T) {
	beneath := stringStore(t, 4)
	held := &counted{Store: beneath, held: make(chan struct{})}
	c := store.NewCache[string](held, store.CacheOptions[string]{})
	t.Cleanup(func() { _ = c.Close() })
	w, err := c.Watch(t.Context(), "/p/", store.WatchOptions{Initial: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if e, err := w.Next(t.Context()); err != nil || !e.InitialEnd {
		t.Fatal(e, err)
	}
	for i := range 20 {
		put(t, beneath, "/p/a", fmt.Sprint(i))
	}
	close(held.held)
	if _, err := w.Next(t.Context()); !errors.Is(err, store.ErrSlow) {
		t.Errorf("a watcher of compacted revisions: %v", err)
	}
	page, err := c.List(t.Context(), "/p/", store.ListOptions[string]{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Value != "19" {
		t.Errorf("after the restart of the backend's watch: %+v, %v", page, err)
	}
}

func TestCacheHistoryIsBounded(t *testing.T) {
	beneath := stringStore(t, 0)
	c := store.NewCache[string](beneath, store.CacheOptions[string]{History: 10})
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.List(t.Context(), "", store.ListOptions[string]{}); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		put(t, beneath, "/p/a", fmt.Sprint(i))
	}
	if err := store.WaitFor(t.Context(), c, 101); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Watch(t.Context(), "", store.WatchOptions{After: 50}); !errors.Is(err, store.ErrCompacted) {
		t.Errorf("a watch from before the cache's history: %v", err)
	}
	page, err := c.List(t.Context(), "", store.ListOptions[string]{Revision: 50, Match: store.Exact})
	if err != nil || page.Items[0].Revision != 50 {
		t.Errorf("a list that only the store beneath has: %+v, %v", page, err)
	}
}
