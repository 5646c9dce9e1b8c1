package cluster

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/store"
)

// initialEnd is the annotation of the bookmark that ends the initial events.
const initialEnd = "k8s.io/initial-events-end"

// watcher turns the store's events into those of a watch: an object that begins
// to match the selectors is added, one that no longer matches is deleted.
type watcher struct {
	*Cluster
	ep        *endpoint
	selection *selection
	events    store.Watcher[*Record]
	ticker    *time.Ticker
	// bookmarks says that the client wants them, initial that the one that ends
	// the initial events is to be sent.
	bookmarks, initial bool
	done               bool
}

func (c *Cluster) watch(ctx context.Context, r *Request, ep *endpoint) (*Response, *Status) {
	r = watchDefaults(r)
	s, st := c.selection(r, ep)
	if st != nil {
		return nil, st
	}
	after, err := revision(r.ResourceVersion)
	if err != nil {
		return nil, plainError(err)
	}
	w := &watcher{Cluster: c, ep: ep, selection: s, bookmarks: r.Bookmarks}
	w.initial = r.InitialEvents != nil && *r.InitialEvents && r.Bookmarks
	o := store.WatchOptions{After: after, Initial: after == 0 || r.InitialEvents != nil && *r.InitialEvents}
	if r.InitialEvents != nil && !*r.InitialEvents {
		o.Initial = false
	}
	if r.Bookmarks {
		w.ticker = time.NewTicker(c.config.BookmarkInterval)
		o.Ticks = w.ticker.C
	}
	w.events, err = c.store.Watch(ctx, s.scope, o)
	if err != nil {
		w.stop()
		return c.watchFailed(ep, err)
	}
	return &Response{Code: 200, Events: &Stream{next: w.next, stop: w.stop}}, nil
}

// watchDefaults gives a watch from no version or from any the options that it
// has always meant (apimachinery's SetListOptionsDefaults): it begins with what
// there is, and tells a client that takes bookmarks where that ends.
func watchDefaults(r *Request) *Request {
	if r.InitialEvents != nil || r.ResourceVersionMatch != "" || r.ResourceVersion != "" && r.ResourceVersion != "0" {
		return r
	}
	yes, out := true, *r
	out.InitialEvents, out.ResourceVersionMatch = &yes, matchNotOlder
	return &out
}

// watchFailed answers a watch that could not begin. That its version is too old
// is told within the stream.
func (c *Cluster) watchFailed(ep *endpoint, err error) (*Response, *Status) {
	st := c.storeStatus(ep, "", err)
	if st.Code != 410 {
		return nil, st
	}
	told := false
	next := func(context.Context) (Event, error) {
		if told {
			return Event{}, io.EOF
		}
		told = true
		return Event{Type: "ERROR", Object: st.Object()}, nil
	}
	return &Response{Code: 200, Events: &Stream{next: next, stop: func() {}}}, nil
}

func (w *watcher) stop() {
	if w.events != nil {
		w.events.Stop()
	}
	if w.ticker != nil {
		w.ticker.Stop()
	}
}

func (w *watcher) next(ctx context.Context) (Event, error) {
	for !w.done {
		e, err := w.events.Next(ctx)
		if err != nil {
			return w.ended(ctx, err)
		}
		event, ok, st := w.event(e)
		if st != nil {
			w.done = true
			return Event{Type: "ERROR", Object: st.Object()}, nil
		}
		if ok {
			return event, nil
		}
	}
	return Event{}, io.EOF
}

func (w *watcher) ended(ctx context.Context, err error) (Event, error) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return Event{}, err
	}
	w.done = true
	if errors.Is(err, store.ErrClosed) {
		return Event{}, io.EOF
	}
	return Event{Type: "ERROR", Object: w.storeStatus(w.ep, "", err).Object()}, nil
}

// event turns one event of the store into one of the watch; ok is false where
// the client is told nothing.
func (w *watcher) event(e store.Event[*Record]) (event Event, ok bool, st *Status) {
	if e.Type == store.Bookmark {
		if e.InitialEnd && !w.initial || !e.InitialEnd && !w.bookmarks {
			return event, false, nil
		}
		return Event{Type: "BOOKMARK", Object: w.bookmark(e)}, true, nil
	}
	var now, was document.Value
	if e.Type != store.Deleted {
		if now, ok, st = w.selected(e.Value, e.Revision); st != nil || !ok {
			now = document.Value{}
		}
	}
	if st == nil && e.Type == store.Modified {
		if was, ok, st = w.selected(e.Previous, e.Revision); st != nil || !ok {
			was = document.Value{}
		}
	}
	if st == nil && e.Type == store.Deleted {
		if was, ok, st = w.selected(e.Value, e.Revision); st != nil || !ok {
			was = document.Value{}
		}
	}
	switch {
	case st != nil:
		return event, false, st
	case now.Exists() && was.Exists():
		return Event{Type: "MODIFIED", Object: now}, true, nil
	case now.Exists():
		return Event{Type: "ADDED", Object: now}, true, nil
	case was.Exists():
		return Event{Type: "DELETED", Object: was}, true, nil
	}
	return event, false, nil
}

// selected returns an object as the watch shows it, and whether it matches.
func (w *watcher) selected(r *Record, revision int64) (document.Value, bool, *Status) {
	o, st := w.read(w.ep.kind, versioned(r.object, revision))
	if st != nil || !w.selection.matches(o.Value) {
		return document.Value{}, false, st
	}
	return o.Join(), true, nil
}

// bookmark is an object of the watched kind with nothing but a resource version.
func (w *watcher) bookmark(e store.Event[*Record]) document.Value {
	object := versioned(fieldmanager.Object{Value: w.nothing(w.ep.kind)}, e.Revision).Value
	if e.InitialEnd {
		object = object.Set(document.NewString(strconv.FormatBool(true)), "metadata", "annotations", initialEnd)
	}
	return object
}
