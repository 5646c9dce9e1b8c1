package aggregation

import (
	"context"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// retryAfter is the time between the end of a watch that failed and the next one.
const retryAfter = 100 * time.Millisecond

// resource is a resource that an Aggregator follows.
type resource struct{ group, version, name string }

// follower is told about the objects of a resource.
type follower struct {
	// replace is called with all objects when a watch begins.
	replace func(objects []document.Value)
	// changed is called with an object that was created, changed or deleted.
	changed func(object document.Value, deleted bool)
}

// follow tells a follower about the objects of a resource until the context ends. When the watch ends before, because
// it fell behind or the store failed, it lists the objects again.
func (a *Aggregator) follow(ctx context.Context, what resource, f follower) {
	for ctx.Err() == nil {
		a.followOnce(ctx, what, f)
		select {
		case <-ctx.Done():
		case <-time.After(retryAfter):
		}
	}
}

func (a *Aggregator) followOnce(ctx context.Context, what resource, f follower) {
	list, err := a.cluster.Do(ctx, what.request(cluster.List))
	if err != nil {
		return
	}
	f.replace(list.Items())
	watch := what.request(cluster.Watch)
	watch.ResourceVersion = list.Object.Lookup("metadata", "resourceVersion").StringOr("")
	reading, err := a.cluster.Read(ctx, watch)
	if err != nil {
		return
	}
	defer reading.Events.Stop()
	for {
		event, err := reading.Events.Next(ctx)
		switch {
		case err != nil || event.Type == "ERROR":
			return
		case event.Type != "BOOKMARK":
			f.changed(event.Object, event.Type == "DELETED")
		}
	}
}

// request returns a request of the API server itself for all objects of the resource.
func (r resource) request(verb cluster.Verb) *cluster.Request {
	return (&cluster.Request{Verb: verb, Group: r.group, Version: r.version, Resource: r.name}).AsServer()
}

// repeat calls do, again at an interval and when woken, until the context ends. After a failure the time until the
// next call grows from first to most.
func repeat(ctx context.Context, wake <-chan struct{}, interval, first, most time.Duration, do func(context.Context) error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for wait := first; ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-wake:
		}
		if do(ctx) == nil {
			wait = first
			timer.Reset(interval)
			continue
		}
		timer.Reset(wait)
		wait = min(2*wait, most)
	}
}

// signal wakes a repetition unless it has been woken already.
func signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
