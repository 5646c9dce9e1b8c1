package etcd

import (
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestQueueIsBounded checks that a watcher stops receiving events when its queue has enough of them, or enough bytes.
func TestQueueIsBounded(t *testing.T) {
	for _, c := range []struct {
		why         string
		events      int
		value, prev int // bytes of each event
		full        bool
	}{
		{"few events", maxQueued - 1, 1, 1, false},
		{"many events", maxQueued, 1, 1, true},
		{"large values", 8, maxQueuedBytes / 8, 0, true},
		{"large previous values", 8, 0, maxQueuedBytes / 8, true},
		{"values that are almost too large", 8, maxQueuedBytes/8 - 1, 0, false},
	} {
		w := &watcher[string]{wake: make(chan struct{}, 1), emptied: make(chan struct{}, 1)}
		w.emptied <- struct{}{} // of an earlier time, which must not open the watch again
		value, prev := []byte(strings.Repeat("x", c.value)), []byte(strings.Repeat("x", c.prev))
		var resp clientv3.WatchResponse
		for i := range c.events {
			resp.Events = append(resp.Events, &clientv3.Event{
				Kv: &mvccpb.KeyValue{ModRevision: int64(i + 2), Value: value}, PrevKv: &mvccpb.KeyValue{Value: prev},
			})
		}
		next, full := w.push(&resp, 2)
		if full != c.full || next != int64(c.events+2) || full == (len(w.emptied) > 0) {
			t.Errorf("%s: full is %t, the next revision %d, and %d tokens are left", c.why, full, next, len(w.emptied))
		}
	}
}
