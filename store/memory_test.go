package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/storetest"
)

func newMemory(t testing.TB) store.Store[storetest.Value] { return newMemoryWith(t, 0) }

func newMemoryWith(t testing.TB, history int) store.Store[storetest.Value] {
	m := store.NewMemory(store.MemoryOptions[storetest.Value]{
		Equal: storetest.Equal, UID: storetest.UID, History: history,
	})
	t.Cleanup(func() { m.Close() })
	return m
}

func TestMemory(t *testing.T) { storetest.Run(t, newMemory) }

// With so little history, watchers fall behind and lists lose their snapshot
// all the time.
func TestMemoryWithLittleHistory(t *testing.T) {
	for _, history := range []int{1, 5, 40} {
		t.Run(fmt.Sprint(history), func(t *testing.T) {
			storetest.Simulate(t, func(t testing.TB) store.Store[storetest.Value] { return newMemoryWith(t, history) })
		})
	}
}

func BenchmarkMemory(b *testing.B) { storetest.Benchmark(b, newMemory) }

// stringStore makes a store of strings in which every write counts as a change.
func stringStore(t *testing.T, history int) *store.Memory[string] {
	m := store.NewMemory(store.MemoryOptions[string]{History: history})
	t.Cleanup(func() { m.Close() })
	return m
}

func put(t *testing.T, m *store.Memory[string], key, value string) {
	t.Helper()
	_, err := m.Update(t.Context(), key, store.UpdateOptions{CreateMissing: true}, func(store.Item[string]) (string, error) { return value, nil })
	if err != nil {
		t.Fatal(err)
	}
}

func watch(t *testing.T, m *store.Memory[string], scope string, opts store.WatchOptions) store.Watcher[string] {
	t.Helper()
	w, err := m.Watch(t.Context(), scope, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

// doneContext takes what a watcher has without waiting.
func doneContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestG14SlowWatcherIsTold(t *testing.T) {
	m := stringStore(t, 8)
	slow := watch(t, m, "/p/", store.WatchOptions{})
	initial := watch(t, m, "/p/", store.WatchOptions{Initial: true})
	for i := range 20 {
		put(t, m, "/p/a", fmt.Sprint(i))
	}
	for name, c := range map[string]struct {
		w        store.Watcher[string]
		revision int64
	}{
		"events":         {slow, 2},
		"initial events": {initial, 1},
	} {
		want := store.CompactedError{Revision: c.revision, Oldest: 14, Slow: true}
		for range 2 { // the error is final
			_, err := c.w.Next(t.Context())
			var got *store.CompactedError
			if !errors.As(err, &got) || *got != want {
				t.Errorf("%s: got %v, want %v", name, err, &want)
			}
			if !errors.Is(err, store.ErrSlow) || !errors.Is(err, store.ErrCompacted) {
				t.Errorf("%s: %v is not both ErrSlow and ErrCompacted", name, err)
			}
		}
	}
}

func TestG14OnlyLostEventsMakeAWatcherSlow(t *testing.T) {
	m := stringStore(t, 8)
	fresh := watch(t, m, "/p/", store.WatchOptions{})
	used := watch(t, m, "/p/", store.WatchOptions{})
	ahead := watch(t, m, "/p/", store.WatchOptions{After: 3})
	put(t, m, "/p/a", "1")
	for _, w := range []store.Watcher[string]{fresh, used} {
		if e, err := w.Next(t.Context()); err != nil || e.Revision != 2 {
			t.Fatal(e, err)
		}
	}
	for range 50 {
		put(t, m, "/q/a", "1")
	}
	for name, w := range map[string]store.Watcher[string]{"fresh": fresh, "used": used, "ahead": ahead} {
		if e, err := w.Next(doneContext()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v and %v while nothing happened in its scope", name, e, err)
		}
	}
	put(t, m, "/p/a", "2")
	for name, w := range map[string]store.Watcher[string]{"fresh": fresh, "used": used, "ahead": ahead} {
		if e, err := w.Next(doneContext()); err != nil || e.Revision != 53 || e.Previous != "1" {
			t.Errorf("%s: got %v and %v", name, e, err)
		}
	}
}

func TestG16HistoryIsBounded(t *testing.T) {
	m := stringStore(t, 100)
	for i := range 1000 {
		put(t, m, "/p/a", fmt.Sprint(i))
	}
	const oldest = 1001 - 100 + 1
	page, err := m.List(t.Context(), "/p/", store.ListOptions[string]{Revision: oldest, Match: store.Exact})
	if err != nil || page.Items[0].Revision != oldest {
		t.Errorf("the oldest revision: %v, %v", page, err)
	}
	_, err = m.List(t.Context(), "/p/", store.ListOptions[string]{Revision: oldest - 1, Match: store.Exact})
	if !errors.Is(err, store.ErrCompacted) {
		t.Errorf("one revision before the oldest: %v", err)
	}
	if _, err := m.Watch(t.Context(), "/p/", store.WatchOptions{After: oldest - 1}); !errors.Is(err, store.ErrCompacted) {
		t.Errorf("a watch from before the oldest revision: %v", err)
	}
}

// What is forgotten is also freed, whoever has not taken it.
func TestG16ForgottenValuesAreFreed(t *testing.T) {
	type payload [64]byte
	const history, writes = 100, 3000
	m := store.NewMemory(store.MemoryOptions[*payload]{History: history})
	defer m.Close()
	ctx := t.Context()
	for _, opts := range []store.WatchOptions{{}, {Initial: true}} {
		stuck, err := m.Watch(ctx, "", opts)
		if err != nil {
			t.Fatal(err)
		}
		defer stuck.Stop()
	}
	var values []weak.Pointer[payload]
	for i := range writes {
		v := new(payload)
		values = append(values, weak.Make(v))
		key := fmt.Sprintf("/p/%d", i%7)
		_, err := m.Update(ctx, key, store.UpdateOptions{CreateMissing: true}, func(store.Item[*payload]) (*payload, error) { return v, nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	alive := len(slices.DeleteFunc(values, func(p weak.Pointer[payload]) bool { return p.Value() == nil }))
	// History is dropped in blocks of 256 revisions, and the first write of a
	// block knows the value before it.
	if most := history + 256 + 7; alive > most || alive < history {
		t.Errorf("%d of %d values are alive, want %d to %d", alive, writes, history, most)
	}
	runtime.KeepAlive(m)
}

func TestWaitFor(t *testing.T) {
	m := stringStore(t, 0)
	put(t, m, "/p/a", "1")
	if err := store.WaitFor(t.Context(), m, 2); err != nil {
		t.Errorf("for a revision that is reached: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	reached := make(chan error, 1)
	go func() { reached <- store.WaitFor(ctx, m, 4) }()
	put(t, m, "/p/a", "2")
	put(t, m, "/q/a", "1")
	if err := <-reached; err != nil {
		t.Errorf("for a revision to come: %v", err)
	}
	cancel()
	if err := store.WaitFor(ctx, m, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("for a revision that does not come: %v", err)
	}
}
