package kubestorage

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/patchlab-dev/patchlab/store"
)

// buffered is the capacity of a watch's channel, as in kube-apiserver's etcd3 storage.
const buffered = 100

// progressInterval is the interval of progress notifications that nobody requested. With a short
// one, a slow machine's watch cache is newer than its tests expect before they request progress.
const progressInterval = 5 * time.Second

// watcher sends a store's events to a channel.
type watcher struct {
	s      *Storage
	w      store.Watcher[Encoded]
	p      storage.SelectionPredicate
	marked bool // send the bookmark that ends the initial events
	all    bool // send all other bookmarks
	ctx    context.Context
	cancel context.CancelFunc
	out    chan watch.Event
}

// Watch implements storage.Interface. If the store cannot start the watch, the error is
// the watch's first event, as with etcd.
func (s *Storage) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	scope, err := s.key(key, opts.Recursive)
	if err != nil {
		return nil, err
	}
	after, err := s.versioner.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	asked := opts.SendInitialEvents != nil && *opts.SendInitialEvents
	w := &watcher{s: s, p: opts.Predicate, marked: asked && opts.Predicate.AllowWatchBookmarks, out: make(chan watch.Event, buffered)}
	w.ctx, w.cancel = context.WithCancel(ctx)
	from := store.WatchOptions{After: int64(after), Initial: asked || opts.SendInitialEvents == nil && after == 0, Cached: opts.ResourceVersion != ""}
	switch {
	case opts.ProgressNotify:
		w.all, from.Ticks = true, s.progress.ticks(w.ctx)
	case opts.Predicate.AllowWatchBookmarks && s.Bookmarks > 0:
		ticker := time.NewTicker(s.Bookmarks)
		context.AfterFunc(w.ctx, ticker.Stop)
		w.all, from.Ticks = true, ticker.C
	}
	var refused error
	if w.ctx.Err() == nil {
		w.w, refused = s.Store.Watch(w.ctx, scope, from)
	}
	go w.run(refused)
	utilflowcontrol.WatchInitialized(ctx)
	return w, nil
}

// Stop implements watch.Interface.
func (w *watcher) Stop() { w.cancel() }

// ResultChan implements watch.Interface.
func (w *watcher) ResultChan() <-chan watch.Event { return w.out }

func (w *watcher) run(err error) {
	defer close(w.out)
	defer w.cancel()
	if w.w != nil {
		defer w.w.Stop()
	}
	for err == nil {
		if w.ctx.Err() != nil {
			return
		}
		var e store.Event[Encoded]
		if e, err = w.w.Next(w.ctx); err != nil {
			break
		}
		var event *watch.Event
		if event, err = w.event(e); event != nil && !w.send(*event) {
			return
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	var status apierrors.APIStatus
	if !errors.As(translate(err), &status) {
		status = apierrors.NewInternalError(err)
	}
	of := status.Status()
	w.send(watch.Event{Type: watch.Error, Object: &of})
}

func (w *watcher) send(e watch.Event) bool {
	select {
	case w.out <- e:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// event converts an event. It returns nil if the predicate matches neither the old nor
// the new object.
func (w *watcher) event(e store.Event[Encoded]) (*watch.Event, error) {
	if e.Type == store.Bookmark {
		return w.bookmark(e)
	}
	now, _, err := w.s.decode(w.ctx, e.Key, e.Value, e.Revision)
	if err != nil && e.Type == store.Deleted {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Reason: metav1.StatusReasonStoreReadError, Message: "saw a DELETED event, but object data is corrupt",
		}}
	}
	if err != nil {
		return nil, err
	}
	selected, err := w.p.Matches(now)
	if err != nil {
		return nil, err
	}
	if e.Type == store.Modified {
		was, _, err := w.s.decode(w.ctx, e.Key, e.Previous, e.Revision)
		if err != nil {
			return nil, err
		}
		before, err := w.p.Matches(was)
		switch {
		case err != nil:
			return nil, err
		case selected && !before:
			return &watch.Event{Type: watch.Added, Object: now}, nil
		case !selected && before:
			return &watch.Event{Type: watch.Deleted, Object: was}, nil
		}
	}
	if !selected {
		return nil, nil
	}
	return &watch.Event{Type: watch.EventType(e.Type.String()), Object: now}, nil
}

func (w *watcher) bookmark(e store.Event[Encoded]) (*watch.Event, error) {
	if e.InitialEnd && !w.marked || !e.InitialEnd && !w.all {
		return nil, nil
	}
	obj := w.s.New()
	if err := w.s.versioner.UpdateObject(obj, uint64(e.Revision)); err != nil {
		return nil, err
	}
	if !e.InitialEnd {
		return &watch.Event{Type: watch.Bookmark, Object: obj}, nil
	}
	return &watch.Event{Type: watch.Bookmark, Object: obj}, storage.AnnotateInitialEventsEndBookmark(obj)
}

// progress requests notifications of all watches that have them, as one request does for all
// watches of a client of etcd.
type progress struct {
	mu      sync.Mutex
	watches map[chan time.Time]bool
}

// ticks returns a channel that receives a value at each interval and at each request, until
// the context ends.
func (p *progress) ticks(ctx context.Context) <-chan time.Time {
	ticks := make(chan time.Time, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watches == nil {
		p.watches = map[chan time.Time]bool{}
	}
	p.watches[ticks] = true
	go func() {
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for {
			select {
			case now := <-ticker.C:
				notify(ticks, now)
			case <-ctx.Done():
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.watches, ticks)
				return
			}
		}
	}()
	return ticks
}

// request notifies all watches.
func (p *progress) request() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ticks := range p.watches {
		notify(ticks, time.Now())
	}
}

// notify sends a value unless one is waiting already.
func notify(ticks chan<- time.Time, now time.Time) {
	select {
	case ticks <- now:
	default:
	}
}
