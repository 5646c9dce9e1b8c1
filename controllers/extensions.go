package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// Extensions are the extension API servers of a cluster (package aggregation), whose objects its store does not have.
type Extensions interface {
	// Any reports whether there is an extension API server.
	Any() bool
	// Serves reports whether an extension API server serves a version of a group.
	Serves(group, version string) bool
	// DeleteAll deletes the objects that a namespace has in extension API servers, and returns what is left.
	DeleteAll(ctx context.Context, namespace string) Left
}

// Left is what prevents the end of a namespace in extension API servers.
type Left struct {
	// Undiscovered are the versions whose resources are not known, such as "metrics.k8s.io/v1beta1".
	Undiscovered []string
	// Resources and Finalizers are the numbers of objects by resource, such as "pods.metrics.k8s.io", and by finalizer.
	Resources, Finalizers map[string]int
	// Failed are the reasons why objects could not be deleted or counted, one for each resource.
	Failed []error
}

// nothing reports whether the namespace has nothing in extension API servers.
func (l Left) nothing() bool {
	return len(l.Undiscovered) == 0 && len(l.Resources) == 0 && len(l.Failed) == 0
}

// The time between two deletions in extension API servers grows, because these do not report when objects are gone.
const (
	firstRepetition = 100 * time.Millisecond
	lastRepetition  = 5 * time.Second
)

// deletion is the deletion of a namespace's objects in extension API servers.
type deletion struct {
	uid     string // of the namespace
	running bool
	// known is true if left is the result of the last run, and next the time until the next one.
	known bool
	left  Left
	next  time.Duration
}

// deletions are those of all namespaces. They run beside the controllers, so that an extension API server that does not
// answer delays nothing else.
type deletions struct {
	mu    sync.Mutex
	ended []endedDeletion
	// wait is the context in which the runner waits for changes. It ends when a deletion does.
	wait   context.Context
	cancel context.CancelFunc
}

type endedDeletion struct {
	namespace, uid string
	left           Left
}

// waiting returns the context in which to wait for the next change.
func (d *deletions) waiting(ctx context.Context) context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wait == nil || d.wait.Err() != nil && len(d.ended) == 0 {
		d.wait, d.cancel = context.WithCancel(ctx)
	}
	return d.wait
}

func (d *deletions) end(e endedDeletion) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = append(d.ended, e)
	if d.cancel != nil {
		d.cancel()
	}
}

// take returns the deletions that have ended since the last call.
func (d *deletions) take() []endedDeletion {
	d.mu.Lock()
	defer d.mu.Unlock()
	ended := d.ended
	d.ended = nil
	return ended
}

// observeDeletions queues the namespaces whose deletion in extension API servers has ended.
func (r *runner) observeDeletions() {
	for _, e := range r.ended.take() {
		if d := r.deletions[e.namespace]; d != nil && d.uid == e.uid {
			d.running, d.known, d.left = false, true, e.left
			r.add(work{aNamespace, e.namespace})
		}
	}
}

// deleteElsewhere deletes the objects of a namespace in extension API servers. It returns what was left the last time;
// known is false until the first deletion has ended.
func (r *runner) deleteElsewhere(ctx context.Context, name, uid string) (left Left, known bool) {
	if r.Extensions == nil {
		return Left{}, true
	}
	d := r.deletions[name]
	if d == nil || d.uid != uid {
		if !r.Extensions.Any() {
			return Left{}, true
		}
		d = &deletion{uid: uid}
		r.deletions[name] = d
	}
	if d.running || d.known && d.left.nothing() {
		return d.left, d.known
	}
	d.running = true
	wait := d.next
	d.next = max(firstRepetition, min(2*wait, lastRepetition))
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		r.ended.end(endedDeletion{name, uid, r.Extensions.DeleteAll(ctx, name)})
	}()
	return d.left, d.known
}

// discovery is the condition of a namespace that tells which resources are not known. kube-controller-manager has the text
// of client-go's discovery client.
func (l Left) discovery() condition {
	const kind = "NamespaceDeletionDiscoveryFailure"
	if len(l.Undiscovered) == 0 {
		return condition{kind, "False", "ResourcesDiscovered", "All resources successfully discovered"}
	}
	versions := slices.Clone(l.Undiscovered)
	for i, v := range versions {
		versions[i] = v + ": stale GroupVersion discovery: " + v
	}
	slices.Sort(versions)
	return condition{kind, "True", "DiscoveryFailed", fmt.Sprintf("Discovery failed for some groups, %d failing: unable to retrieve the complete list of server APIs: %s",
		len(versions), strings.Join(versions, ", "))}
}

// next returns the next change. again is true if there is none, but a deletion in extension API servers has ended.
func (r *runner) next(ctx context.Context, changes *cluster.Changes) (change cluster.Change, synced, again bool, err error) {
	wait := ctx
	if r.Extensions != nil {
		wait = r.ended.waiting(ctx)
	}
	change, synced, err = changes.Next(wait)
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		return change, false, true, nil
	}
	return change, synced, false, err
}
