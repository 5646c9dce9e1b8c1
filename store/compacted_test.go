package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// TestWatchCompacted tests that watches, but not lists, begin before a compaction if the history
// has the writes since.
func TestWatchCompacted(t *testing.T) {
	const kept = 5
	memory := store.MemoryOptions[string]{WatchCompacted: kept}
	for name, s := range map[string]store.Store[string]{
		"memory": store.NewMemory(memory),
		"cache":  store.NewCache(store.NewMemory(store.MemoryOptions[string]{}), store.CacheOptions[string]{WatchCompacted: kept}),
	} {
		t.Run(name, func(t *testing.T) {
			defer s.Close()
			if _, err := s.List(t.Context(), "/r/a/", store.ListOptions[string]{}); err != nil { // the cache begins here
				t.Fatal(err)
			}
			var revisions []int64
			for i := range 9 {
				item, err := s.Create(t.Context(), fmt.Sprintf("/r/a/%d", i), "")
				if err != nil {
					t.Fatal(err)
				}
				revisions = append(revisions, item.Revision)
			}
			if err := s.Compact(t.Context(), revisions[8]); err != nil {
				t.Fatal(err)
			}
			for i, revision := range revisions {
				_, err := s.List(t.Context(), "/r/a/", store.ListOptions[string]{Revision: revision, Match: store.Exact})
				if refused := errors.Is(err, store.ErrCompacted); refused != (i < 8) {
					t.Errorf("a list at the revision of write %d: %v", i, err)
				}
				w, err := s.Watch(t.Context(), "/r/a/", store.WatchOptions{After: revision})
				if refused := errors.Is(err, store.ErrCompacted); refused != (i < 8-kept) {
					t.Errorf("a watch after write %d: %v", i, err)
				}
				if err != nil {
					continue
				}
				for n := i + 1; n < 9; n++ {
					if e, err := w.Next(t.Context()); err != nil || e.Revision != revisions[n] {
						t.Errorf("a watch after write %d has %+v, %v in place of write %d", i, e, err, n)
					}
				}
				w.Stop()
			}
		})
	}
}
