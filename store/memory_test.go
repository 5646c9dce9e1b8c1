package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
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

// TestMemoryWithLittleHistory runs the simulation with a very short history, so that
// watchers and paginated lists often meet compacted revisions.
func TestMemoryWithLittleHistory(t *testing.T) {
	for _, history := range []int{1, 5, 40} {
		t.Run(fmt.Sprint(history), func(t *testing.T) {
			storetest.Simulate(t, func(t testing.TB) store.Store[storetest.Value] { return newMemoryWith(t, history) })
		})
	}
}

func BenchmarkMemory(b *testing.B) { storetest.Benchmark(b, newMemory) }

// stringStore returns a store of strings in which every write increments the revision,
// even if the value is equal.
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

// doneContext returns a canceled context, with which Next returns only buffered events.
func doneContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestG14SlowWatcherGetsError(t *testing.T) {
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
		for range 2 { // the watcher returns the same error again
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
			t.Errorf("%s: got %v and %v without an event in its scope", name, e, err)
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

// TestG16CompactedValuesAreFreed checks that values of compacted revisions are garbage
// collected even if a watcher has not read them.
func TestG16CompactedValuesAreFreed(t *testing.T) {
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
	// History is compacted in blocks of 256 revisions. The first record of a block also
	// references the key's previous value.
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

// TestG16HistoryIsBoundedByBytes checks that history is limited by size as well as by
// number of revisions, so that a few large values cannot exhaust memory.
func TestG16HistoryIsBoundedByBytes(t *testing.T) {
	const size, history = 1 << 20, 16 << 20 // not the default
	type payload [16]byte                   // smaller values would share a block of memory and keep each other alive
	m := store.NewMemory(store.MemoryOptions[*payload]{Size: func(*payload) int { return size }, HistoryBytes: history})
	defer m.Close()
	stuck, err := m.Watch(t.Context(), "", store.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Stop()
	var values []weak.Pointer[payload]
	const writes = 1000
	for range writes {
		v := new(payload)
		values = append(values, weak.Make(v))
		_, err := m.Update(t.Context(), "/p/a", store.UpdateOptions{CreateMissing: true}, func(store.Item[*payload]) (*payload, error) { return v, nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	alive := len(slices.DeleteFunc(values, func(p weak.Pointer[payload]) bool { return p.Value() == nil }))
	if least, most := history/size, history/size*5/4+2; alive < least || alive > most {
		t.Errorf("%d values of %d are alive, want %d to %d", alive, writes, least, most)
	}
	if _, err := stuck.Next(t.Context()); !errors.Is(err, store.ErrSlow) {
		t.Errorf("a watcher whose events were compacted: %v", err)
	}
	oldest := int64(writes + 1 - history/size + 1)
	if _, err := m.Watch(t.Context(), "", store.WatchOptions{After: oldest}); err != nil {
		t.Errorf("a watch from revision %d: %v", oldest, err)
	}
	if _, err := m.Watch(t.Context(), "", store.WatchOptions{After: oldest - 2}); !errors.Is(err, store.ErrCompacted) {
		t.Errorf("a watch from revision %d: %v", oldest-2, err)
	}
	runtime.KeepAlive(m)
}

// TestG16TheLatestWriteIsKept checks that the latest write can be read and watched even
// if it exceeds the limit on history.
func TestG16TheLatestWriteIsKept(t *testing.T) {
	m := store.NewMemory(store.MemoryOptions[string]{Size: func(string) int { return 1000 }, HistoryBytes: 10})
	defer m.Close()
	put(t, m, "/p/a", "1")
	w := watch(t, m, "/p/", store.WatchOptions{})
	put(t, m, "/p/a", "2")
	if e, err := w.Next(doneContext()); err != nil || e.Value != "2" || e.Previous != "1" {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestLargeValuesAreRefused(t *testing.T) {
	m := store.NewMemory(store.MemoryOptions[string]{Size: func(s string) int { return len(s) }, MaxBytes: 3})
	defer m.Close()
	if _, err := m.Create(t.Context(), "/a", "four"); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("create: %v", err)
	}
	put(t, m, "/a", "abc")
	_, err := m.Update(t.Context(), "/a", store.UpdateOptions{}, func(store.Item[string]) (string, error) { return "four", nil })
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("update: %v", err)
	}
	if item, err := m.Get(t.Context(), "/a", store.GetOptions{}); err != nil || item.Value != "abc" || item.Revision != 2 {
		t.Errorf("a refused write changed the store: %+v, %v", item, err)
	}
}

// Values with a lifetime keep neither what has replaced them nor the store in memory.
func TestLifetimeKeepsNothingInMemory(t *testing.T) {
	type value struct {
		lifetime time.Duration
		_        *int // an object without pointers may be freed late, with others
	}
	freed := make(chan string, 2)
	lifetime := func(v *value) time.Duration { return v.lifetime }
	make := func(what string) *value {
		v := &value{lifetime: time.Hour}
		runtime.AddCleanup(v, func(what string) { freed <- what }, what)
		return v
	}
	expect := func(want string) {
		t.Helper()
		for range 1000 {
			runtime.GC()
			select {
			case got := <-freed:
				if got != want {
					t.Fatalf("%s was freed, want %s", got, want)
				}
				return
			case <-time.After(time.Millisecond):
			}
		}
		t.Errorf("%s is kept in memory", want)
	}
	m := store.NewMemory(store.MemoryOptions[*value]{Lifetime: lifetime, History: 1})
	if _, err := m.Create(t.Context(), "/a", make("a replaced value")); err != nil {
		t.Fatal(err)
	}
	for range 1000 { // the history is released in blocks
		_, err := m.Update(t.Context(), "/a", store.UpdateOptions{}, func(store.Item[*value]) (*value, error) { return &value{}, nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	expect("a replaced value")
	runtime.KeepAlive(m)

	dropped := store.NewMemory(store.MemoryOptions[*value]{Lifetime: lifetime})
	runtime.AddCleanup(dropped, func(what string) { freed <- what }, "a store that was not closed")
	if _, err := dropped.Create(t.Context(), "/a", &value{lifetime: time.Hour}); err != nil {
		t.Fatal(err)
	}
	expect("a store that was not closed")
}

// TestValueExpiresAfterItsLifetime checks that a value expires after the lifetime set by the last write of
// its key.
func TestValueExpiresAfterItsLifetime(t *testing.T) {
	m := store.NewMemory(store.MemoryOptions[time.Duration]{Lifetime: func(d time.Duration) time.Duration { return d }})
	defer m.Close()
	for key, d := range map[string]time.Duration{"/short": time.Millisecond, "/renewed": time.Millisecond, "/ever": 0} {
		if _, err := m.Create(t.Context(), key, d); err != nil {
			t.Fatal(err)
		}
		if key == "/renewed" {
			_, err := m.Update(t.Context(), key, store.UpdateOptions{CreateMissing: true}, func(store.Item[time.Duration]) (time.Duration, error) { return 0, nil })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	w, err := m.Watch(t.Context(), "/short", store.WatchOptions{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for _, want := range []store.EventType{store.Added, store.Deleted} {
		if e, err := w.Next(t.Context()); err != nil || e.Type != want {
			t.Fatalf("got %v (%v), want %v", e, err, want)
		}
	}
	for _, key := range []string{"/renewed", "/ever"} {
		if item, err := m.Get(t.Context(), key, store.GetOptions{}); err != nil || item.Value != 0 {
			t.Errorf("%s: %+v, %v", key, item, err)
		}
	}
}

// TestFutureContinueTokenIsRefused checks that a continue token with a revision that the
// store has not reached, for instance from before a restart, is rejected.
func TestFutureContinueTokenIsRefused(t *testing.T) {
	filled := func(n int) *store.Memory[string] {
		m := store.NewMemory(store.MemoryOptions[string]{})
		for i := range n {
			if _, err := m.Create(t.Context(), fmt.Sprintf("/a/%d", i), "v"); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	page, err := filled(9).List(t.Context(), "/a/", store.ListOptions[string]{Limit: 1})
	if err != nil || page.Continue == "" {
		t.Fatalf("the first page: %+v, %v", page, err)
	}
	var future *store.FutureError
	if got, err := filled(2).List(t.Context(), "/a/", store.ListOptions[string]{Continue: page.Continue}); !errors.As(err, &future) {
		t.Errorf("a store at revision 3: %+v, %v", got, err)
	}
}

// A value that is too large is refused with etcd's message, and above 2 MiB with that of etcd's
// client.
func TestSizeErrorHasTheMessageOfEtcd(t *testing.T) {
	m := store.NewMemory(store.MemoryOptions[string]{MaxBytes: 3 << 19, Size: func(s string) int { return len(s) }})
	defer m.Close()
	for size, want := range map[int]string{
		3<<19 + 1: "etcdserver: request is too large",
		2 << 20:   "etcdserver: request is too large",
		2<<20 + 1: "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2097153 vs. 2097152)",
	} {
		_, err := m.Create(t.Context(), "/a", strings.Repeat("x", size))
		var wrong *store.SizeError
		if !errors.As(err, &wrong) || !errors.Is(err, store.ErrTooLarge) || wrong.Error() != want {
			t.Errorf("%d bytes: %v, want %s", size, err, want)
		}
	}
}

// TestListAtEveryRevision lists each readable revision of a long history. The items are compared
// with those of a map that was copied after each write.
func TestListAtEveryRevision(t *testing.T) {
	const writes, kept = 2000, 700 // several blocks of records, of which the first ones are dropped
	m := store.NewMemory(store.MemoryOptions[string]{History: kept})
	defer m.Close()
	random := rand.New(rand.NewPCG(1, 2))
	want := map[int64]map[string]string{}
	now := map[string]string{}
	for n := range writes {
		key, value := fmt.Sprintf("/p/%d", random.IntN(60)), strconv.Itoa(n)
		var item store.Item[string]
		var err error
		if _, exists := now[key]; exists && random.IntN(3) == 0 {
			item, err = m.Delete(t.Context(), key, store.DeleteOptions[string]{})
			delete(now, key)
		} else {
			item, err = m.Update(t.Context(), key, store.UpdateOptions{CreateMissing: true}, func(store.Item[string]) (string, error) { return value, nil })
			now[key] = value
		}
		if err != nil {
			t.Fatal(err)
		}
		want[item.Revision] = maps.Clone(now)
		if n%256 != 0 && n != writes-1 {
			continue
		}
		for revision := max(2, item.Revision-kept+1); revision <= item.Revision; revision++ {
			page, err := m.List(t.Context(), "/p/", store.ListOptions[string]{Revision: revision, Match: store.Exact})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, i := range page.Items {
				got[i.Key] = i.Value
			}
			if !maps.Equal(got, want[revision]) {
				t.Fatalf("after %d writes, revision %d has %v, want %v", n+1, revision, got, want[revision])
			}
		}
	}
}

// TestG15QuietResources: a watch after a revision that can no longer be listed is served if its resource was not
// written to since, whether the history was compacted or was full. The keys of a resource have a common prefix of
// two or, for a custom resource, three segments.
func TestG15QuietResources(t *testing.T) {
	const quiet, group, busy = "/registry/quiet/", "/registry/example.com/", "/registry/example.com/busy/"
	for _, tc := range []struct {
		name, scope string
		after       int64
		refused     bool
	}{
		{"the last write to the resource", quiet, 3, false},
		{"a later revision", quiet, 5, false},
		{"an object of the resource", quiet + "n/a", 3, false},
		{"a namespace of the resource", quiet + "n/", 4, false},
		{"a write to the resource is lost", quiet, 2, true},
		{"also for an object that it did not change", quiet + "n/c", 2, true},
		{"a write to another namespace is lost", quiet + "o/", 2, false},
		{"a resource without writes", "/registry/never/", 1, false},
		{"a resource beside one that was written to all the time", group + "calm/", 4, false},
		{"an object of it", group + "calm/n/a", 4, false},
		{"a write to it is lost", group + "calm/", 3, true},
		{"a resource of the group without writes", group + "never/", 1, false},
		{"a resource that was written to all the time", busy, 5, true},
		{"an object in it without writes", busy + "n/z", 5, true},
		{"all resources of the group", group, 5, true},
		{"all resources", "/registry/", 5, true},
		{"everything", "", 5, true},
	} {
		for _, how := range []string{"compacted", "full"} {
			s := store.NewMemory(store.MemoryOptions[storetest.Value]{Equal: storetest.Equal, UID: storetest.UID, History: map[string]int{"full": 4}[how]})
			put := func(key string, value string) {
				t.Helper()
				_, err := s.Update(t.Context(), key, store.UpdateOptions{CreateMissing: true}, func(store.Item[storetest.Value]) (storetest.Value, error) {
					return storetest.Value{Data: value}, nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			put(quiet+"n/a", "1")
			put(quiet+"n/b", "1")
			put(group+"calm/n/a", "1")
			for i := range 300 {
				put(busy+"n/a", fmt.Sprint(i))
			}
			if how == "compacted" {
				if err := s.Compact(t.Context(), 301); err != nil {
					t.Fatal(err)
				}
			}
			w, err := s.Watch(t.Context(), tc.scope, store.WatchOptions{After: tc.after})
			if refused := errors.Is(err, store.ErrCompacted); refused != tc.refused || !refused && err != nil {
				t.Errorf("%s, %s: %v", tc.name, how, err)
			}
			if err != nil {
				continue
			}
			key := tc.scope
			if strings.HasSuffix(key, "/") {
				key += "n/z"
			}
			put(key, "2")
			if e, err := w.Next(t.Context()); err != nil || e.Key != key || e.Revision != 305 {
				t.Errorf("%s, %s: the next event is %+v, %v", tc.name, how, e, err)
			}
			w.Stop()
		}
	}
}
