package store

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

// openInternal returns a watcher of /p/ with its insides.
func openInternal(t *testing.T) (*Memory[int], *watcher[int]) {
	m := NewMemory(MemoryOptions[int]{})
	t.Cleanup(func() { m.Close() })
	w, err := m.Watch(t.Context(), "/p/", WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m, w.(*watcher[int])
}

// over returns a done context: Next takes what there is.
func over(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A writer publishes a revision before it notifies. A watcher that is reading
// the history at that moment takes the event at once, and the notice that
// comes afterwards must not bring it again.
func TestG11LateNoticeRepeatsNothing(t *testing.T) {
	m, w := openInternal(t)
	if _, err := m.Create(t.Context(), "/p/a", 1); err != nil {
		t.Fatal(err)
	}
	if e, err := w.Next(over(t)); err != nil || e.Revision != 2 {
		t.Fatal(e, err)
	}
	w.written(2, 1)
	if e, err := w.Next(over(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v again (%v)", e, err)
	}
}

// A watcher that has read the history up to a state may know of an event
// behind it.
func TestG11EventAfterTheHistoryRead(t *testing.T) {
	m, w := openInternal(t)
	old := m.now.Load()
	for i, key := range []string{"/q/a", "/p/a", "/q/b", "/p/b"} {
		if _, err := m.Create(t.Context(), key, i); err != nil {
			t.Fatal(err)
		}
	}
	w.advance(old, 1) // as if the writes had come after old was read
	for _, want := range []int64{3, 5} {
		if e, err := w.Next(over(t)); err != nil || e.Revision != want {
			t.Fatalf("got %v (%v), want revision %d", e, err, want)
		}
	}
}

// Between publishing and notifying, no bookmark may name the new revision.
func TestG13BookmarkWaitsForNotices(t *testing.T) {
	m, w := openInternal(t)
	m.mu.Lock()
	now := &entry[int]{value: 1, revision: 2}
	m.index.Set("/p/a", now)
	m.now.Store(m.now.Load().next(record[int]{key: "/p/a", revision: 2, now: now, index: m.index.Copy()}, m.bounds))
	asked := make(chan struct{})
	go func() {
		w.RequestBookmark()
		close(asked)
	}()
	for range 1000 {
		runtime.Gosched()
	}
	if e, err := w.Next(over(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v (%v) before the notice", e, err)
	}
	m.notify("/p/a", 2, 1)
	m.mu.Unlock()
	<-asked
	for _, want := range []EventType{Added, Bookmark} {
		if e, err := w.Next(over(t)); err != nil || e.Type != want || e.Revision != 2 {
			t.Errorf("got %v (%v), want %v of revision 2", e, err, want)
		}
	}
}
