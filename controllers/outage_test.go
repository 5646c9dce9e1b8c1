package controllers

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/store"
)

// outage is a store that becomes unavailable when it is first watched, and is available again after some more
// attempts.
type outage struct {
	store.Store[*cluster.Record]
	mu       sync.Mutex
	attempts int
	over     chan struct{} // closed at the end of the outage
}

var errOutage = &store.UnavailableError{Err: errors.New("no leader")}

func (o *outage) Watch(ctx context.Context, scope string, options store.WatchOptions) (store.Watcher[*cluster.Record], error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.attempts++
	switch {
	case o.attempts == 1:
		w, err := o.Store.Watch(ctx, scope, options)
		return lost{w}, err
	case o.attempts < 5:
		return nil, errOutage
	case o.attempts == 5:
		close(o.over)
	}
	return o.Store.Watch(ctx, scope, options)
}

// lost is a watcher whose store does not respond.
type lost struct{ store.Watcher[*cluster.Record] }

func (lost) Next(context.Context) (store.Event[*cluster.Record], error) {
	return store.Event[*cluster.Record]{}, errOutage
}

// TestOutageIsReportedOnce checks that the controllers report an outage of the store once, and not with each attempt
// to watch it again.
func TestOutageIsReportedOnce(t *testing.T) {
	o := &outage{Store: cluster.NewStore(), over: make(chan struct{})}
	c, err := cluster.New(cluster.Config{Store: o})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var faults []string
	l := &lab{t, c}
	l.runWith(Options{GarbageCollection: true, Fault: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, err.Error())
	}})
	<-o.over
	a := l.configMap("a", nil)
	l.configMap("b", nil, ownerReference("a", a, false))
	l.delete("a", background)
	l.eventually("both go after the outage")
	mu.Lock()
	defer mu.Unlock()
	if len(faults) != 1 {
		t.Errorf("the faults are %q, want one", faults)
	}
}
