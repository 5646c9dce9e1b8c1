package etcd

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// TestBookmarksWithoutEtcd requests bookmarks, as each watch of a server does every minute, while etcd is not
// reachable, and counts the goroutines that wait for it.
func TestBookmarksWithoutEtcd(t *testing.T) {
	client, err := Dial(Access{Endpoints: []string{"http://127.0.0.1:1"}}) // where nothing listens
	if err != nil {
		t.Fatal(err)
	}
	s := New(client, Options[string]{Timeout: time.Millisecond})
	w := &watcher[string]{store: s, wake: make(chan struct{}, 1)}
	w.ctx, w.stop = context.WithCancel(s.ctx)
	w.askRevision() // starts the goroutines of the client
	before := runtime.NumGoroutine()
	const requests, most = 50, 10
	for range requests {
		w.RequestBookmark()
	}
	if more := runtime.NumGoroutine() - before; more > most {
		t.Errorf("%d requests have started %d goroutines", requests, more)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
