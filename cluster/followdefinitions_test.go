package cluster_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/store"
)

// lateStore is a store whose watches deliver nothing after their initial events, as one that is not reachable.
type lateStore struct {
	*store.Memory[*cluster.Record]
	closed chan struct{}
}

func (s *lateStore) Watch(ctx context.Context, scope string, o store.WatchOptions) (store.Watcher[*cluster.Record], error) {
	w, err := s.Memory.Watch(ctx, scope, o)
	return &lateWatcher{Watcher: w, closed: s.closed}, err
}

func (s *lateStore) Close() error {
	close(s.closed)
	return s.Memory.Close()
}

type lateWatcher struct {
	store.Watcher[*cluster.Record]
	closed chan struct{}
	late   bool
}

func (w *lateWatcher) Next(ctx context.Context) (store.Event[*cluster.Record], error) {
	if w.late {
		<-w.closed
		return store.Event[*cluster.Record]{}, store.ErrClosed
	}
	e, err := w.Watcher.Next(ctx)
	w.late = e.InitialEnd
	return e, err
}

// TestCatchUpEndsWithTheCluster closes a cluster while a call waits for the definitions of other clusters.
func TestCatchUpEndsWithTheCluster(t *testing.T) {
	late := &lateStore{cluster.NewStore(), make(chan struct{})}
	c, err := cluster.New(cluster.Config{Store: late, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "namespaces", Body: []byte(`{"metadata":{"name":"a"}}`)}); err != nil {
		t.Fatal(err)
	}
	caughtUp := make(chan error, 1)
	go func() { caughtUp <- c.CatchUp(context.Background()) }()
	time.AfterFunc(20*time.Millisecond, func() { _ = c.Close() })
	select {
	case err := <-caughtUp:
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("got the error %v, want %v", err, store.ErrClosed)
		}
	case <-time.After(10 * time.Second):
		t.Error("the call waits although the cluster is closed")
	}
}
