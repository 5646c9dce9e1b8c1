// Package controllers runs the controllers of kube-controller-manager that
// clients of an API server rely on most, over a [cluster.Cluster] in the same
// process: the one that empties namespaces which are being deleted, and the
// garbage collector.
//
// They follow the changes of all objects in the order in which these are stored,
// and do one thing after the other, so what they do depends on the requests alone
// and not on time: they have no clock, no retries after a while and no caches that
// lag behind. What kube-controller-manager does is described in doc/controllers.md
// with the differences.
package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options choose the controllers. The zero value runs none.
type Options struct {
	// Namespaces empties namespaces that are being deleted and lets them go.
	Namespaces bool
	// GarbageCollection deletes objects whose owners are gone, and carries out
	// foreground deletion and orphaning.
	GarbageCollection bool
	// Fault is called with errors that should not happen; nil ignores them. The
	// object in question is left as it is until it changes.
	Fault func(error)
}

// Parse reads the names of controllers, separated by commas: "namespace" and "gc".
func Parse(names string) (Options, error) {
	var o Options
	for name := range strings.SplitSeq(names, ",") {
		switch strings.TrimSpace(name) {
		case "namespace":
			o.Namespaces = true
		case "gc":
			o.GarbageCollection = true
		case "":
		default:
			return Options{}, fmt.Errorf("unknown controller %q: known are namespace and gc", name)
		}
	}
	return o, nil
}

// agent is the User-Agent, and so the field manager, of kube-controller-manager.
const agent = "kube-controller-manager"

// maxTries is how often something is tried again at once because others wrote in
// between.
const maxTries = 20

// runner is a run of the controllers. Only its own goroutine uses it.
type runner struct {
	Options
	cluster *cluster.Cluster
	graph   *graph
	synced  bool
	queue   []work
	queued  map[work]bool
}

// work is something to look at: an object by its uid or a namespace by its name.
type work struct {
	namespace bool
	id        string
}

// Run runs the controllers until ctx ends or the cluster is closed, and returns nil
// then. It returns an error if it cannot follow the changes of the cluster.
func Run(ctx context.Context, c *cluster.Cluster, o Options) error {
	changes, err := c.Changes(ctx)
	if err != nil {
		return fmt.Errorf("following the objects of the cluster: %w", err)
	}
	defer changes.Stop()
	r := &runner{Options: o, cluster: c, graph: newGraph(), queued: map[work]bool{}}
	for {
		change, synced, err := changes.Next(ctx)
		if err != nil {
			return nil //nolint:nilerr // the stream ends with ctx or the cluster
		}
		if synced {
			r.begin()
		} else {
			r.observe(change)
		}
		for r.synced && len(r.queue) > 0 && ctx.Err() == nil {
			next := r.queue[0]
			r.queue = r.queue[1:]
			delete(r.queued, next)
			r.fault(next, r.do(ctx, next))
		}
	}
}

// begin looks at everything that was there when the controllers began.
func (r *runner) begin() {
	r.synced = true
	for _, n := range r.graph.sorted() {
		r.examine(n)
	}
}

// observe takes a change into the graph and notes what has to be looked at.
func (r *runner) observe(change cluster.Change) {
	if !change.Object.Exists() {
		n := r.graph.remove(uidOf(change.Previous))
		if n == nil {
			return
		}
		for _, dependent := range r.graph.dependentsOf(n.uid) {
			r.add(work{id: dependent.uid})
		}
		r.addOwners(n)
		r.add(work{namespace: true, id: n.namespace})
		return
	}
	n, before := r.graph.put(change)
	if !r.synced {
		return
	}
	r.examine(n)
	if before != nil && !slices.Equal(before.owners, n.owners) {
		r.addOwners(before) // which may no longer wait for it
	}
}

// examine notes what has to be done about an object as it is now.
func (r *runner) examine(n *node) {
	if len(n.owners) > 0 || n.deleting {
		r.add(work{id: n.uid})
	}
	if n.deleting && n.waits() {
		for _, dependent := range r.graph.dependentsOf(n.uid) {
			r.add(work{id: dependent.uid})
		}
	}
	if n.isNamespace() && n.deleting {
		r.add(work{namespace: true, id: n.name})
	} else if n.namespace != "" {
		r.add(work{namespace: true, id: n.namespace})
	}
}

// addOwners looks again at the owners of an object, which may wait for it.
func (r *runner) addOwners(n *node) {
	for _, o := range n.owners {
		if owner := r.graph.nodes[o.uid]; owner != nil && owner.deleting {
			r.add(work{id: owner.uid})
		}
	}
}

// add queues something to look at, if a controller is running that does.
func (r *runner) add(w work) {
	if w.namespace && (!r.Namespaces || !r.graph.terminating(w.id)) || !w.namespace && !r.GarbageCollection || r.queued[w] {
		return
	}
	r.queued[w] = true
	r.queue = append(r.queue, w)
}

// do looks at something, and again if it changed meanwhile.
func (r *runner) do(ctx context.Context, w work) error {
	for range maxTries {
		var err error
		if w.namespace {
			err = r.namespace(ctx, w.id)
		} else if n := r.graph.nodes[w.id]; n != nil && !n.isEvent() {
			err = r.collect(ctx, n)
		}
		var status *cluster.Status
		if !errors.As(err, &status) || status.Code != 409 {
			return err
		}
	}
	return fmt.Errorf("given up after %d conflicts", maxTries)
}

func (r *runner) fault(w work, err error) {
	if err == nil || isNotFound(err) || errors.Is(err, context.Canceled) || r.Fault == nil {
		return
	}
	what := w.id
	if n := r.graph.nodes[w.id]; n != nil {
		what = n.String()
	}
	r.Fault(fmt.Errorf("%s: %w", what, err))
}

func isNotFound(err error) bool {
	var status *cluster.Status
	return errors.As(err, &status) && status.Code == 404
}

// request is a request about an object.
func (n *node) request(verb cluster.Verb) *cluster.Request {
	return &cluster.Request{
		Verb: verb, Group: n.kind.Group, Version: n.kind.Version, Resource: n.kind.Resource, Namespace: n.namespace, Name: n.name,
		UserAgent: agent, User: cluster.User{Name: "system:kube-controller-manager", Groups: []string{"system:authenticated"}},
	}
}

// live reads an object; it does not exist where another has its name.
func (r *runner) live(ctx context.Context, n *node) (document.Value, error) {
	resp, err := r.cluster.Do(ctx, n.request(cluster.Get))
	if err != nil {
		return document.Value{}, err
	}
	if uidOf(resp.Object) != n.uid {
		return document.Value{}, &cluster.Status{Code: 404, Reason: cluster.ReasonNotFound, Message: n.String() + " is another object now"}
	}
	return resp.Object, nil
}

// patchMetadata sets a member of an object's metadata, if the object is still the
// one that was read.
func (r *runner) patchMetadata(ctx context.Context, n *node, live document.Value, key string, value document.Value) error {
	meta := live.Get("metadata")
	metadata := document.NewObject().With("uid", meta.Get("uid")).With("resourceVersion", meta.Get("resourceVersion")).With(key, value)
	request := n.request(cluster.Patch)
	request.Format, request.Body = cluster.MergePatch, document.NewObject().With("metadata", metadata).JSON()
	_, err := r.cluster.Do(ctx, request)
	return err
}

// remove deletes an object, if it is still the one that was read.
func (r *runner) remove(ctx context.Context, n *node, policy string) error {
	request := n.request(cluster.Delete)
	request.Deletion = cluster.Deletion{PropagationPolicy: &policy, UID: &n.uid}
	if n.kind.Builtin && n.kind.Kind == "Pod" {
		now := int64(0) // no kubelet stops it
		request.Deletion.GracePeriodSeconds = &now
	}
	_, err := r.cluster.Do(ctx, request)
	return err
}

// kindOf finds the kind that an owner reference names.
func (r *runner) kindOf(apiVersion, kind string) (*schema.Kind, bool) {
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !ok {
		return nil, false
	}
	for _, k := range r.cluster.Kinds().Served(group, kind) {
		if k.Version == version {
			return k, true
		}
	}
	return nil, false
}
