package store_test

import (
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/storetest"
)

func TestObserved(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Store[storetest.Value] {
		return store.Observe(newMemory(t), func(store.Call) {})
	})
}

// TestCallsAreObserved checks that every call is reported, with the number of retries
// of a write.
func TestCallsAreObserved(t *testing.T) {
	var mu sync.Mutex
	calls, retries := map[string]int{}, 0
	s := store.Observe[string](stringStore(t, 0), func(c store.Call) {
		mu.Lock()
		defer mu.Unlock()
		calls[c.Operation]++
		retries += c.Retries
	})
	ctx := t.Context()
	if _, err := s.Create(ctx, "/a", "1"); err != nil {
		t.Fatal(err)
	}
	interrupted := false
	_, err := s.Update(ctx, "/a", store.UpdateOptions{}, func(store.Item[string]) (string, error) {
		if !interrupted {
			interrupted = true
			if _, err := s.Update(ctx, "/a", store.UpdateOptions{}, func(store.Item[string]) (string, error) { return "2", nil }); err != nil {
				t.Error(err)
			}
		}
		return "3", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = s.Get(ctx, "/a", store.GetOptions{})
	_, _ = s.List(ctx, "", store.ListOptions[string]{})
	_, _ = s.Count(ctx, "")
	revision, _ := s.Revision(ctx)
	_ = s.Compact(ctx, revision)
	if w, err := s.Watch(ctx, "", store.WatchOptions{}); err == nil {
		w.Stop()
	}
	_, _ = s.Delete(ctx, "/a", store.DeleteOptions[string]{})
	for operation, want := range map[string]int{"create": 1, "update": 2, "get": 1, "list": 1, "count": 1, "revision": 1, "compact": 1, "watch": 1, "delete": 1} {
		if calls[operation] != want {
			t.Errorf("%d calls of %s are reported, want %d", calls[operation], operation, want)
		}
	}
	if retries != 1 {
		t.Errorf("%d retries, want 1", retries)
	}
}
