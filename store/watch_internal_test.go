package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
)

// openInternal returns a store and its unexported watcher of /p/.
func openInternal(t *testing.T) (*Memory[int], *watcher[int]) {
	m := NewMemory(MemoryOptions[int]{})
	t.Cleanup(func() { m.Close() })
	w, err := m.Watch(t.Context(), "/p/", WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m, w.(*watcher[int])
}

// canceled returns a canceled context, with which Next returns only buffered events.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// TestG11LateNotificationRepeatsNoEvent checks that a watcher delivers an event once. A
// writer publishes a revision before it notifies watchers, so a watcher that reads the
// history in between has already delivered the event when the notification arrives.
func TestG11LateNotificationRepeatsNoEvent(t *testing.T) {
	m, w := openInternal(t)
	if _, err := m.Create(t.Context(), "/p/a", 1); err != nil {
		t.Fatal(err)
	}
	if e, err := w.Next(canceled(t)); err != nil || e.Revision != 2 {
		t.Fatal(e, err)
	}
	w.written(2, 1)
	if e, err := w.Next(canceled(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v again (%v)", e, err)
	}
}

// TestG11EventAfterTheHistoryRead checks that a watcher that has caught up with an old
// state also delivers the events after it, of which it was notified in the meantime.
func TestG11EventAfterTheHistoryRead(t *testing.T) {
	m, w := openInternal(t)
	old := m.now.Load()
	for i, key := range []string{"/q/a", "/p/a", "/q/b", "/p/b"} {
		if _, err := m.Create(t.Context(), key, i); err != nil {
			t.Fatal(err)
		}
	}
	w.advance(old, 1) // as if the writes followed the read of old
	for _, want := range []int64{3, 5} {
		if e, err := w.Next(canceled(t)); err != nil || e.Revision != want {
			t.Fatalf("got %v (%v), want revision %d", e, err, want)
		}
	}
}

// TestG13BookmarkWaitsForNotices checks that no bookmark has a revision that is
// published but whose notifications are not yet sent.
func TestG13BookmarkWaitsForNotices(t *testing.T) {
	m, w := openInternal(t)
	m.mu.Lock()
	now := &entry[int]{value: 1, revision: 2}
	m.record(record[int]{key: "/p/a", revision: 2, now: now})
	asked := make(chan struct{})
	go func() {
		w.RequestBookmark()
		close(asked)
	}()
	for range 1000 {
		runtime.Gosched()
	}
	if e, err := w.Next(canceled(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v (%v) before the notice", e, err)
	}
	m.notify("/p/a", 2, 1)
	m.mu.Unlock()
	<-asked
	for _, want := range []EventType{Added, Bookmark} {
		if e, err := w.Next(canceled(t)); err != nil || e.Type != want || e.Revision != 2 {
			t.Errorf("got %v (%v), want %v of revision 2", e, err, want)
		}
	}
}

// TestG16LostWritesAreBounded checks that the memory of lost writes does not grow with the number of prefixes that
// were written to, and that a watch which misses a forgotten one is refused.
func TestG16LostWritesAreBounded(t *testing.T) {
	m := NewMemory(MemoryOptions[int]{History: 1})
	t.Cleanup(func() { m.Close() })
	for i := range 2 * maxLost {
		if _, err := m.Create(t.Context(), fmt.Sprintf("/registry/pods/namespace-%d/a", i), i); err != nil {
			t.Fatal(err)
		}
		if n := len(m.lost); n > maxLost {
			t.Fatalf("%d prefixes after %d writes, want at most %d", n, i+1, maxLost)
		}
	}
	for _, test := range []struct {
		name, scope string
		after       int64
		refused     bool
	}{
		{"the write is forgotten", "/registry/pods/namespace-0/", 1, true},
		{"it may be a forgotten one", "/registry/configmaps/", m.begins - 1, true},
		{"later writes are remembered", "/registry/configmaps/", m.begins, false},
		{"one of them", "/registry/pods/", m.begins, true},
	} {
		w, err := m.Watch(t.Context(), test.scope, WatchOptions{After: test.after})
		if refused := errors.Is(err, ErrCompacted); refused != test.refused || !refused && err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if err == nil {
			w.Stop()
		}
	}
}
