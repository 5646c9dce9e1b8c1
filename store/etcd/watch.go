package etcd

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/metadata"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// watcher follows a scope by a watch in etcd. The goroutine [watcher.follow] receives events
// from etcd into a queue, which Next reads. The queue is bounded: when it is full, the watch
// in etcd is closed, and reopened at the same revision once the queue is empty. A slow watcher
// is therefore buffered by etcd's history alone, and ends only if that is compacted.
type watcher[T any] struct {
	store *Store[T]
	scope keyspace.Scope
	// floor is the first revision whose events are delivered.
	floor   int64
	ticks   <-chan time.Time
	ctx     context.Context // canceled with the watcher or the store
	stop    context.CancelFunc
	wake    chan struct{} // holds a token if there may be an event
	emptied chan struct{} // holds a token if the queue has become empty

	// The fields below are used only by Next.
	initial *initialEvents[T]
	err     error // the final error

	mu    sync.Mutex // guards the fields below
	queue []*clientv3.Event
	bytes int
	// reached is the revision up to which every event has been queued or delivered.
	reached int64
	// bookmark is the revision of the requested bookmark, 0 if there is none. awaited is the
	// revision to reach before it is delivered.
	bookmark, awaited int64
	asking            bool // a goroutine is requesting progress from etcd
	// unanswered is the number of requests for a bookmark that found etcd unavailable. While it is not 0, a
	// goroutine asks again.
	unanswered int
	lost       error // the reason for which there are no more events
	// open is the context of the watch in etcd, nil while none is open.
	open context.Context
}

// The limits of a watcher's queue. A response of etcd is never split, so the queue may exceed
// them by one response.
const (
	maxQueued      = 1000
	maxQueuedBytes = 8 << 20
)

// retryInterval is the delay before a watch that etcd has closed is opened again.
const retryInterval = 100 * time.Millisecond

// Watch implements [store.Store].
func (s *Store[T]) Watch(ctx context.Context, text string, opts store.WatchOptions) (store.Watcher[T], error) {
	sc, err := keyspace.ParseScope(text)
	if err != nil {
		return nil, err
	}
	if err := opts.Check(); err != nil {
		return nil, err
	}
	ctx, cancel, err := s.alive(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	w := &watcher[T]{store: s, scope: sc, ticks: opts.Ticks, wake: make(chan struct{}, 1), emptied: make(chan struct{}, 1)}
	if err := w.begin(ctx, opts); err != nil {
		return nil, err
	}
	w.reached = w.floor - 1
	w.ctx, w.stop = context.WithCancel(s.ctx)
	if w.initial == nil {
		go w.follow()
	}
	return w, nil
}

// begin determines the revision after which the events begin.
func (w *watcher[T]) begin(ctx context.Context, opts store.WatchOptions) error {
	s := w.store
	if opts.Initial {
		w.initial = &initialEvents[T]{}
		if err := w.initial.fill(ctx, w, opts.After); err != nil {
			return err
		}
		w.floor = w.initial.revision + 1
		return nil
	}
	now, err := s.at(ctx, opts.After)
	switch {
	case opts.After == 0 && err == nil:
		w.floor = now + 1
		return nil
	case err == nil, errors.Is(err, errFuture):
		w.floor = opts.After + 1
		return nil
	}
	return s.placed(ctx, opts.After, err)
}

// follow keeps a watch open in etcd until the watcher ends or loses events.
func (w *watcher[T]) follow() {
	for next := w.floor; w.ctx.Err() == nil; {
		var full bool
		next, full = w.receive(next)
		if full {
			select {
			case <-w.emptied:
			case <-w.ctx.Done():
			}
			continue
		}
		w.mu.Lock()
		over := w.lost != nil
		w.mu.Unlock()
		if over || w.ctx.Err() != nil {
			return
		}
		w.store.restarts.Add(1)
		select {
		case <-time.After(retryInterval):
		case <-w.ctx.Done():
		}
	}
}

// receive opens a watch in etcd at the revision next and queues its events until the watch
// ends or the queue is full. It returns the revision to continue at. Where it can, etcd's
// client reconnects by itself.
func (w *watcher[T]) receive(next int64) (_ int64, full bool) {
	// The watch has its own stream, because etcd reports progress of a stream only if all its
	// watches are synced and none is of a future revision.
	id := strconv.FormatInt(w.store.watchers.Add(1), 10)
	ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(clientv3.WithRequireLeader(w.ctx), "patchlab-watch", id))
	defer cancel()
	first, end := w.store.span(w.scope)
	events := w.store.client.Watch(ctx, first, clientv3.WithRange(end), clientv3.WithRev(next), clientv3.WithPrevKV(), clientv3.WithProgressNotify())
	w.setOpen(ctx)
	//lint:ignore SA1012 nil is not a context here, but records that no watch is open
	defer w.setOpen(nil)
	for resp := range events {
		if resp.CompactRevision != 0 {
			w.lose(&store.CompactedError{Revision: next, Oldest: resp.CompactRevision, Slow: true})
			return next, false
		}
		if err := resp.Err(); err != nil {
			if errors.Is(err, rpctypes.ErrPermissionDenied) {
				w.lose(w.store.failed(err)) // trying again would not help
			}
			return next, false
		}
		if next, full = w.push(&resp, next); full {
			return next, true
		}
	}
	return next, false
}

func (w *watcher[T]) setOpen(ctx context.Context) {
	w.mu.Lock()
	w.open = ctx
	w.mu.Unlock()
}

// lose ends the watcher with an error after the queued events.
func (w *watcher[T]) lose(err error) {
	w.mu.Lock()
	w.lost = err
	w.mu.Unlock()
	w.poke()
}

// push queues the events of a response from revision next on.
func (w *watcher[T]) push(resp *clientv3.WatchResponse, next int64) (_ int64, full bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if resp.IsProgressNotify() {
		next = max(next, resp.Header.Revision+1)
	}
	for _, e := range resp.Events {
		if e.Kv.ModRevision < next {
			continue
		}
		w.queue = append(w.queue, e)
		w.bytes += size(e)
		next = e.Kv.ModRevision + 1
	}
	w.reached = max(w.reached, next-1)
	w.poke()
	full = len(w.queue) >= maxQueued || w.bytes >= maxQueuedBytes
	if full {
		select {
		case <-w.emptied: // discard an earlier token
		default:
		}
	}
	return next, full
}

func size(e *clientv3.Event) int {
	n := len(e.Kv.Value)
	if e.PrevKv != nil {
		n += len(e.PrevKv.Value)
	}
	return n
}

// poke wakes Next.
func (w *watcher[T]) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Next implements [store.Watcher].
func (w *watcher[T]) Next(ctx context.Context) (store.Event[T], error) {
	for w.err == nil {
		if w.ctx.Err() != nil {
			w.err = store.ErrClosed
			break
		}
		e, ok, err := w.take(ctx)
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return store.Event[T]{}, ctx.Err()
		}
		if err != nil {
			w.err = err
			w.Stop()
			break
		}
		if ok {
			return e, nil
		}
		select {
		case <-w.wake:
		case <-w.ctx.Done():
		case <-w.ticks:
			w.RequestBookmark()
		case <-ctx.Done():
			return store.Event[T]{}, ctx.Err()
		}
	}
	return store.Event[T]{}, w.err
}

// take returns the next event if there is one.
func (w *watcher[T]) take(ctx context.Context) (store.Event[T], bool, error) {
	if w.initial != nil {
		return w.takeInitial(ctx)
	}
	w.mu.Lock()
	asked := w.bookmark
	due := asked != 0 && w.reached >= w.awaited
	switch {
	case due && len(w.queue) == 0, asked != 0 && len(w.queue) > 0 && w.queue[0].Kv.ModRevision > asked:
		w.bookmark, w.awaited = 0, 0
		w.mu.Unlock()
		return store.Event[T]{Type: store.Bookmark, Revision: asked}, true, nil
	case len(w.queue) == 0:
		defer w.mu.Unlock()
		return store.Event[T]{}, false, w.lost
	}
	e := w.queue[0]
	w.queue[0] = nil
	w.bytes -= size(e)
	if w.queue = w.queue[1:]; len(w.queue) == 0 {
		w.queue = nil
		select {
		case w.emptied <- struct{}{}:
		default:
		}
	}
	w.mu.Unlock()
	event, err := w.event(e)
	return event, err == nil, err
}

// event decodes an event of etcd.
func (w *watcher[T]) event(e *clientv3.Event) (out store.Event[T], err error) {
	out = store.Event[T]{Type: store.Modified, Key: string(e.Kv.Key[len(w.store.options.Prefix):]), Revision: e.Kv.ModRevision}
	value := e.Kv
	switch {
	case e.IsCreate():
		out.Type = store.Added
	case e.PrevKv == nil: // its revision itself has been compacted
		return out, &store.CompactedError{Revision: out.Revision, Oldest: out.Revision, Slow: true}
	case e.Type == mvccpb.Event_DELETE:
		out.Type, value = store.Deleted, e.PrevKv
	}
	item, err := w.store.watchedItem(out.Key, value.Value, value.ModRevision)
	if err != nil || out.Type == store.Added {
		out.Value = item.Value
		return out, err
	}
	out.Value, out.Previous, out.PreviousRevision = item.Value, item.Value, e.PrevKv.ModRevision
	if out.Type == store.Modified {
		item, err = w.store.watchedItem(out.Key, e.PrevKv.Value, e.PrevKv.ModRevision)
		out.Previous = item.Value
	}
	return out, err
}

// Stop implements [store.Watcher].
func (w *watcher[T]) Stop() { w.stop() }
