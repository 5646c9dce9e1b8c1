package etcd

import (
	"context"
	"time"

	"github.com/patchlab-dev/patchlab/store"
)

// progressInterval is the interval at which progress is requested from etcd while a bookmark
// is awaited. etcd does not respond while it is still sending older events.
const progressInterval = 10 * time.Millisecond

// RequestBookmark implements [store.Watcher]. It gets etcd's revision and then requests
// progress notifications until the watch has reached that revision.
func (w *watcher[T]) RequestBookmark() {
	if w.askRevision() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unanswered++; w.unanswered == 1 {
		go w.askAgain()
	}
}

// askAgain asks for etcd's revision until it has done so after each request for a bookmark that had no answer.
func (w *watcher[T]) askAgain() {
	for w.ctx.Err() == nil {
		w.mu.Lock()
		before := w.unanswered
		w.mu.Unlock()
		if w.askRevision() {
			w.mu.Lock()
			w.unanswered -= before
			answered := w.unanswered == 0
			w.mu.Unlock()
			if answered {
				return
			}
			continue
		}
		select {
		case <-time.After(retryInterval):
		case <-w.ctx.Done():
		}
	}
}

// askRevision requests a bookmark of etcd's current revision. It reports whether etcd
// responded.
func (w *watcher[T]) askRevision() bool {
	now, err := w.store.Revision(w.ctx)
	if err != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bookmark = max(w.bookmark, now, w.floor-1)
	w.awaited = max(w.awaited, now)
	if w.reached < w.awaited && !w.asking {
		w.asking = true
		go w.askProgress()
	}
	w.poke()
	return true
}

// askProgress requests progress notifications from etcd until no bookmark is awaited.
func (w *watcher[T]) askProgress() {
	for {
		w.mu.Lock()
		open := w.open
		if w.reached >= w.awaited || w.lost != nil || w.ctx.Err() != nil {
			w.asking = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		if open != nil {
			_ = w.store.client.RequestProgress(open) // on failure the watch ends or the next request succeeds
		}
		select {
		case <-time.After(progressInterval):
		case <-w.ctx.Done():
		}
	}
}

// initialBatch is the number of initial items that a watcher reads at a time.
const initialBatch = 500

// initialEvents is the part of a watch before its first bookmark.
type initialEvents[T any] struct {
	revision int64  // of the listed state; 0 until it is known
	token    string // continue token for the items after batch, "" for none
	batch    []store.Item[T]
}

// takeInitial returns the next initial event. The last one is the bookmark, after which the
// watch in etcd begins.
func (w *watcher[T]) takeInitial(ctx context.Context) (store.Event[T], bool, error) {
	in := w.initial
	if len(in.batch) == 0 && in.token != "" {
		if err := in.fill(ctx, w, 0); err != nil {
			return store.Event[T]{}, false, err
		}
	}
	if len(in.batch) > 0 {
		item := in.batch[0]
		in.batch = in.batch[1:]
		return store.Event[T]{Type: store.Added, Key: item.Key, Value: item.Value, Revision: item.Revision}, true, nil
	}
	w.initial = nil
	w.mu.Lock()
	if w.bookmark <= in.revision {
		w.bookmark, w.awaited = 0, 0
	}
	w.mu.Unlock()
	go w.follow()
	return store.Event[T]{Type: store.Bookmark, Revision: in.revision, InitialEnd: true}, true, nil
}

// fill reads the next batch of initial items, at revision least or later.
func (in *initialEvents[T]) fill(ctx context.Context, w *watcher[T], least int64) error {
	opts := store.ListOptions[T]{Revision: least, Limit: initialBatch, Continue: in.token}
	page, err := w.store.list(ctx, w.scope.Text, opts, w.store.watchedItem)
	if gone, ok := err.(*store.CompactedError); ok {
		return &store.CompactedError{Revision: in.revision, Oldest: gone.Oldest, Slow: true}
	}
	if err != nil {
		return err
	}
	in.revision, in.batch, in.token = page.Revision, page.Items, page.Continue
	return nil
}
