package store

import (
	"context"
	"errors"
	"testing"
)

// A writer publishes a revision before it notifies. A watcher that is reading
// the history at that moment takes the event at once, and the notice that
// comes afterwards must not bring it again.
func TestG11LateNoticeRepeatsNothing(t *testing.T) {
	m := NewMemory(MemoryOptions[int]{})
	defer m.Close()
	opened, err := m.Watch(t.Context(), "/p/", WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := opened.(*watcher[int])
	if _, err := m.Create(t.Context(), "/p/a", 1); err != nil {
		t.Fatal(err)
	}
	if e, err := w.Next(t.Context()); err != nil || e.Revision != 2 {
		t.Fatal(e, err)
	}
	w.written(2)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if e, err := w.Next(over); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v again (%v)", e, err)
	}
}

// A watcher that has read the history up to s may know of an event behind it.
func TestG11EventAfterTheHistoryRead(t *testing.T) {
	m := NewMemory(MemoryOptions[int]{})
	defer m.Close()
	opened, err := m.Watch(t.Context(), "/p/", WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := opened.(*watcher[int])
	old := m.now.Load()
	for i, key := range []string{"/q/a", "/p/a", "/q/b", "/p/b"} {
		if _, err := m.Create(t.Context(), key, i); err != nil {
			t.Fatal(err)
		}
	}
	w.advance(old, 2) // as if the writes had come after old was read
	for _, want := range []int64{3, 5} {
		if e, err := w.Next(t.Context()); err != nil || e.Revision != want {
			t.Fatalf("got %v (%v), want revision %d", e, err, want)
		}
	}
}
