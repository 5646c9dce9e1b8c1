//go:build !js || watches

package cluster

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/store"
)

// initialEnd is the annotation of the bookmark that ends the initial events of a watch.
const initialEnd = "k8s.io/initial-events-end"

// watcher converts the store's events to watch events: an object that begins to match the
// selectors is ADDED, one that no longer matches is DELETED.
type watcher struct {
	*Cluster
	ep        *endpoint
	selection *selection
	events    store.Watcher[*Record]
	timer     *bookmarkTimer
	// bookmarks reports whether the client accepts bookmarks, initial whether the watch sends
	// the bookmark that ends the initial events.
	bookmarks, initial bool
	done               bool
	// last is the revision after whose events the watch ends, 0 for none.
	last atomic.Int64
}

func (c *Cluster) watch(ctx context.Context, r *Request, ep *endpoint) (*Reading, *Status) {
	r = watchDefaults(r)
	s, st := c.selection(r, ep)
	if st != nil {
		return nil, st
	}
	after, err := versionParameter(r.ResourceVersion)
	if err != nil {
		return nil, plainError(err)
	}
	w := &watcher{Cluster: c, ep: ep, selection: s, bookmarks: r.Bookmarks}
	w.initial = r.InitialEvents != nil && *r.InitialEvents && r.Bookmarks
	o := store.WatchOptions{After: after, Cached: r.ResourceVersion != "", Initial: after == 0 || r.InitialEvents != nil && *r.InitialEvents}
	if r.InitialEvents != nil && !*r.InitialEvents {
		o.Initial = false
	}
	if r.Bookmarks {
		w.timer = newBookmarkTimer(ctx, c.config.BookmarkInterval)
		o.Ticks = w.timer.ticks
	}
	w.events, err = c.store.Watch(ctx, s.scope, o)
	if err != nil {
		w.stop()
		return c.watchFailed(ep, err)
	}
	if !ep.kind.Builtin {
		c.crds.watches.add(w.definition(), w)
		if served, _ := c.kinds.Resource(ep.kind.Group, ep.kind.Version, ep.kind.Resource); served != ep.kind {
			// The definition was changed or deleted before its watches included this one.
			w.endAt(c.endOfWatches())
		}
	}
	return &Reading{Kind: ep.kind, Events: &Stream{next: w.next, stop: w.stop}}, nil
}

// watchDefaults sets the options of a watch without a resourceVersion, or with "0", as
// apimachinery's SetListOptionsDefaults does: it begins with the existing objects, followed by
// a bookmark if the client accepts bookmarks.
func watchDefaults(r *Request) *Request {
	if r.WatchByPath || r.InitialEvents != nil || r.ResourceVersionMatch != "" || r.ResourceVersion != "" && r.ResourceVersion != "0" {
		return r
	}
	yes, out := true, *r
	out.InitialEvents, out.ResourceVersionMatch = &yes, matchNotOlder
	return &out
}

// watchFailed returns the response to a watch that could not be opened. A resourceVersion that
// is too old, or from which a watch with initial events would have to wait, is reported as an
// ERROR event of the stream.
func (c *Cluster) watchFailed(ep *endpoint, err error) (*Reading, *Status) {
	st := storeStatus(ep, "", err)
	if st.Code != 410 && !errors.Is(err, store.ErrFuture) {
		return nil, st
	}
	sent := false
	next := func(context.Context) (ShownEvent, error) {
		if sent {
			return ShownEvent{}, io.EOF
		}
		sent = true
		return failure(st), nil
	}
	return &Reading{Kind: ep.kind, Events: &Stream{next: next, stop: func() {}}}, nil
}

// definition returns the name of the CustomResourceDefinition of the watched resource.
func (w *watcher) definition() string { return w.ep.kind.Resource + "." + w.ep.kind.Group }

func (w *watcher) stop() {
	if w.events != nil {
		w.crds.watches.remove(w.definition(), w)
		w.events.Stop()
	}
	if w.timer != nil {
		w.timer.stop()
	}
}

// endAt makes the watch end once it has delivered the events up to a revision; 0 ends it at
// once. It may be called while next runs.
func (w *watcher) endAt(revision int64) {
	if revision == 0 {
		w.events.Stop()
		return
	}
	w.last.Store(revision)
	w.events.RequestBookmark()
}

// failure returns an ERROR event with a status.
func failure(st *Status) ShownEvent {
	return ShownEvent{Event: Event{Type: "ERROR", Object: st.Object()}}
}

func (w *watcher) next(ctx context.Context) (ShownEvent, error) {
	for !w.done {
		e, err := w.events.Next(ctx)
		if err != nil {
			return w.ended(ctx, err)
		}
		if last := w.last.Load(); last > 0 && (e.Revision > last || e.Type == store.Bookmark && e.Revision == last) {
			w.done = true
			if !e.InitialEnd {
				break
			}
		}
		event, ok, st := w.event(e)
		if st != nil {
			w.done = true
			return failure(st), nil
		}
		if ok {
			return event, nil
		}
	}
	return ShownEvent{}, io.EOF
}

func (w *watcher) ended(ctx context.Context, err error) (ShownEvent, error) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ShownEvent{}, err
	}
	w.done = true
	if errors.Is(err, store.ErrClosed) {
		return ShownEvent{}, io.EOF
	}
	return failure(storeStatus(w.ep, "", err)), nil
}

// event converts an event of the store to a watch event; ok is false if the client gets none.
func (w *watcher) event(e store.Event[*Record]) (event ShownEvent, ok bool, st *Status) {
	if e.Type == store.Bookmark {
		if e.InitialEnd && !w.initial || !e.InitialEnd && !w.bookmarks {
			return event, false, nil
		}
		return ShownEvent{Event: Event{Type: "BOOKMARK", Object: w.bookmark(e)}}, true, nil
	}
	before, after := e.Previous, e.Value
	switch e.Type {
	case store.Deleted:
		before, after = e.Value, nil
	case store.Added:
		before = nil
	}
	was, st := w.selects(before)
	if st != nil {
		return event, false, st
	}
	is, st := w.selects(after)
	if st != nil || !was && !is {
		return event, false, st
	}
	shown := after
	switch {
	case was && is:
		event.Type = "MODIFIED"
	case is:
		event.Type = "ADDED"
	default:
		event.Type, shown = "DELETED", before
	}
	event.Shown, st = w.shown(w.ep.kind, shown, e.Revision)
	return event, st == nil, st
}

// selects reports whether the record is not nil and is selected by the watch.
func (w *watcher) selects(r *Record) (bool, *Status) {
	if r == nil {
		return false, nil
	}
	return w.matches(w.selection, w.ep.kind, r)
}

// bookmark returns an object of the watched kind with only a resourceVersion.
func (w *watcher) bookmark(e store.Event[*Record]) document.Value {
	object := versioned(fieldmanager.Object{Value: w.zeroObject(w.ep.kind)}, e.Revision).Value
	if e.InitialEnd {
		object = object.Set(document.NewString(strconv.FormatBool(true)), "metadata", "annotations", initialEnd)
	}
	return object
}
