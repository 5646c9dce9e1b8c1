// Package controllers implements the controllers of kube-controller-manager that clients of an
// API server rely on most, over a [cluster.Cluster] in the same process: the namespace
// controller, which deletes the contents of terminating namespaces, the garbage collector, the
// aggregation of ClusterRoles, the usage of ResourceQuotas, and the service account of each namespace.
//
// They process the changes of all objects in the order in which they are stored, one at a
// time, so that the result depends on the requests alone and not on timing: they have no
// clock, no delayed retries and no caches that lag behind. doc/controllers.md describes the
// differences from kube-controller-manager.
package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// Options select the controllers. The zero value runs none.
type Options struct {
	// Namespaces runs the namespace controller, which deletes the contents of namespaces that
	// are being deleted and then removes their finalizer.
	Namespaces bool
	// GarbageCollection runs the garbage collector, which deletes objects whose owners no
	// longer exist, and handles foreground deletion and orphaning.
	GarbageCollection bool
	// Aggregation runs the controller that sets the rules of ClusterRoles with an aggregationRule.
	Aggregation bool
	// Quotas runs the controller that sets the status of ResourceQuotas: their limits, and what the
	// objects of the namespace use. Together with the admission plugin ResourceQuota (package
	// plugins), quotas take effect.
	Quotas bool
	// ServiceAccounts runs the controller that creates the service account "default" in each namespace.
	// The admission plugin ServiceAccount (package plugins) refuses pods without it.
	ServiceAccounts bool
	// Extensions are the extension API servers, in which the namespace controller deletes objects, too; nil for none.
	Extensions Extensions
	// Fault is called with unexpected errors; nil ignores them. The affected object is
	// processed again when it changes.
	Fault func(error)
}

// Parse parses a comma-separated list of controllers: "namespace", "gc", "roles", "quota" and
// "serviceaccount". An empty list selects none.
func Parse(names string) (Options, error) {
	var o Options
	for name := range strings.SplitSeq(names, ",") {
		switch strings.TrimSpace(name) {
		case "namespace":
			o.Namespaces = true
		case "gc":
			o.GarbageCollection = true
		case "roles":
			o.Aggregation = true
		case "quota":
			o.Quotas = true
		case "serviceaccount":
			o.ServiceAccounts = true
		case "":
		default:
			return Options{}, fmt.Errorf("unknown controller %q: known are namespace, gc, roles, quota and serviceaccount", name)
		}
	}
	return o, nil
}

// ForPlugins returns the options with the controllers on which admission plugins depend. Without them,
// quotas have no effect, and no pod has a service account.
func (o Options) ForPlugins(names []string) Options {
	o.Quotas = o.Quotas || plugins.Selected(names, plugins.ResourceQuota)
	o.ServiceAccounts = o.ServiceAccounts || plugins.Selected(names, plugins.ServiceAccount)
	return o
}

// Any reports whether any controller is selected.
func (o Options) Any() bool {
	return o.Namespaces || o.GarbageCollection || o.Aggregation || o.Quotas || o.ServiceAccounts
}

// agent is the User-Agent, and thereby the field manager, of kube-controller-manager.
const agent = "kube-controller-manager"

// maxTries is the number of immediate attempts at an operation that fails because of
// concurrent writes.
const maxTries = 20

// runner is a run of the controllers. It is used by a single goroutine.
type runner struct {
	Options
	cluster *cluster.Cluster
	graph   *graph
	synced  bool
	queue   []work
	queued  map[work]bool
	// deletions are those in extension API servers, by namespace, and ended are those of which the result is not there yet.
	deletions map[string]*deletion
	ended     deletions
}

// work is an item of the queue.
type work struct {
	of subject
	id string
}

// subject is what an item of the queue is about.
type subject uint8

const (
	anObject    subject = iota // id is its uid
	aNamespace                 // id is its name
	aggregation                // the rules of all ClusterRoles that aggregate others; without an id
	quotas                     // the ResourceQuotas of a namespace; id is its name
	accounts                   // the service account of a namespace; id is its name
)

// reopenAfter is the time between the end of a stream of changes and the opening of the next one.
const reopenAfter = 100 * time.Millisecond

// Run runs the controllers until ctx is done or the cluster is closed, and then returns nil.
// It returns an error if it cannot watch the objects of the cluster when it begins. A stream of changes that
// ends later, because the controllers fell behind the history or the store was not available, is opened
// again, and all objects are examined anew. A store that stays unavailable is reported once.
func Run(ctx context.Context, c *cluster.Cluster, o Options) error {
	ended := func(err error) bool { return ctx.Err() != nil || errors.Is(err, store.ErrClosed) }
	changes, err := c.Changes(ctx)
	if err != nil && !ended(err) {
		return fmt.Errorf("watching the objects of the cluster: %w", err)
	}
	reported := "" // the last fault since a stream was open
	for {
		if err == nil {
			err = newRunner(c, o).run(ctx, changes)
			changes.Stop()
			reported = ""
		}
		if ended(err) {
			return nil
		}
		if o.Fault != nil && !errors.Is(err, store.ErrSlow) && err.Error() != reported {
			o.Fault(fmt.Errorf("watching the objects of the cluster: %w", err))
			reported = err.Error()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(reopenAfter):
		}
		changes, err = c.Changes(ctx)
	}
}

func newRunner(c *cluster.Cluster, o Options) *runner {
	return &runner{Options: o, cluster: c, graph: newGraph(), queued: map[work]bool{}, deletions: map[string]*deletion{}}
}

// run processes the changes until their stream ends, and returns why it did.
func (r *runner) run(ctx context.Context, changes *cluster.Changes) error {
	for {
		change, synced, again, err := r.next(ctx, changes)
		switch {
		case err != nil:
			return err
		case synced:
			r.begin()
		case !again:
			r.observe(change)
		}
		r.observeDeletions()
		r.processQueue(ctx)
	}
}

func (r *runner) processQueue(ctx context.Context) {
	for r.synced && len(r.queue) > 0 && ctx.Err() == nil {
		next := r.queue[0]
		r.queue = r.queue[1:]
		delete(r.queued, next)
		r.fault(next, r.do(ctx, next))
	}
}

// begin queues the objects that exist when the controllers start.
func (r *runner) begin() {
	r.synced = true
	for _, n := range r.graph.sorted() {
		r.examine(n)
	}
	for _, namespace := range slices.Sorted(maps.Keys(r.graph.quotas)) {
		r.add(work{quotas, namespace})
	}
}

// observe adds a change to the graph and queues the affected objects.
func (r *runner) observe(change cluster.Change) {
	if r.Quotas && r.synced && r.changesUsage(change) {
		r.add(work{quotas, namespaceOf(change)})
	}
	if !change.Object.Exists() {
		n := r.graph.remove(uidOf(change.Previous))
		if n == nil {
			return
		}
		for _, dependent := range r.graph.dependentsOf(n.uid) {
			r.add(work{anObject, dependent.uid})
		}
		if n.isClusterRole() {
			r.add(work{of: aggregation})
		}
		if n.isDefaultAccount() {
			r.add(work{accounts, n.namespace})
		}
		if n.isNamespace() {
			delete(r.deletions, n.name)
		}
		r.addOwners(n)
		r.add(work{aNamespace, n.namespace})
		return
	}
	n, before := r.graph.put(change)
	if !r.synced {
		return
	}
	r.examine(n)
	if before != nil && !slices.Equal(before.owners, n.owners) {
		r.addOwners(before) // which may have waited for it
	}
}

// examine queues the work for the current state of an object.
func (r *runner) examine(n *node) {
	if n.waits() { // before the object itself, which may wait for none of them
		for _, dependent := range r.graph.dependentsOf(n.uid) {
			r.add(work{anObject, dependent.uid})
		}
	}
	if len(n.owners) > 0 || n.deleting {
		r.add(work{anObject, n.uid})
	}
	if n.isClusterRole() {
		r.add(work{of: aggregation})
	}
	switch {
	case n.isNamespace() && n.deleting:
		r.add(work{aNamespace, n.name})
	case n.isNamespace():
		r.add(work{accounts, n.name})
	case n.namespace != "":
		r.add(work{aNamespace, n.namespace})
	}
}

// addOwners queues the owners of an object, which may wait for it.
func (r *runner) addOwners(n *node) {
	for _, o := range n.owners {
		if owner := r.graph.nodes[o.uid]; owner != nil && owner.deleting {
			r.add(work{anObject, owner.uid})
		}
	}
}

// add queues an item, if the controller for it is running.
func (r *runner) add(w work) {
	runs := r.GarbageCollection
	switch w.of {
	case aNamespace:
		runs = r.Namespaces && r.graph.terminating(w.id)
	case aggregation:
		runs = r.Aggregation
	case quotas:
		runs = r.Quotas
	case accounts:
		runs = r.ServiceAccounts
	}
	if !runs || r.queued[w] {
		return
	}
	r.queued[w] = true
	r.queue = append(r.queue, w)
}

// do processes an item, again if it changed meanwhile.
func (r *runner) do(ctx context.Context, w work) error {
	for range maxTries {
		var err error
		switch n := r.graph.nodes[w.id]; {
		case w.of == aNamespace:
			err = r.namespace(ctx, w.id)
		case w.of == aggregation:
			err = r.aggregate(ctx)
		case w.of == quotas:
			err = r.countUsage(ctx, w.id)
		case w.of == accounts:
			err = r.createAccount(ctx, w.id)
		case n != nil && !n.isEvent():
			err = r.collect(ctx, n)
		}
		if !isConflict(err) {
			return err
		}
	}
	return fmt.Errorf("gave up after %d conflicts", maxTries)
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

func isNotFound(err error) bool { return hasCode(err, 404) }

func isConflict(err error) bool { return hasCode(err, 409) }

// hasCode reports whether an error is a refusal by the cluster with an HTTP status code.
func hasCode(err error, code int) bool {
	var status *cluster.Status
	return errors.As(err, &status) && status.Code == code
}

// request returns a request for the object, in a version that is served.
func (r *runner) request(n *node, verb cluster.Verb) *cluster.Request {
	kind := n.kind
	if _, ok := r.cluster.Kinds().Resource(kind.Group, kind.Version, kind.Resource); !ok {
		for _, served := range r.cluster.Kinds().Served(kind.Group, kind.Kind) {
			kind = served
			break
		}
	}
	return &cluster.Request{
		Verb: verb, Group: kind.Group, Version: kind.Version, Resource: kind.Resource, Namespace: n.namespace, Name: n.name,
		UserAgent: agent, User: cluster.User{Name: "system:kube-controller-manager", Groups: []string{names.Authenticated}},
	}
}

// live reads an object. If a different object has its name, the error is the same as for an object that
// does not exist.
func (r *runner) live(ctx context.Context, n *node) (document.Value, error) {
	resp, err := r.cluster.Do(ctx, r.request(n, cluster.Get))
	if err != nil {
		return document.Value{}, err
	}
	if uidOf(resp.Object) != n.uid {
		return document.Value{}, &cluster.Status{Code: 404, Reason: cluster.ReasonNotFound, Message: n.String() + " has been replaced by another object"}
	}
	return resp.Object, nil
}

// list returns the objects that a list request selects.
func (r *runner) list(ctx context.Context, q *cluster.Request) ([]document.Value, error) {
	resp, err := r.cluster.Do(ctx, q)
	if err != nil {
		return nil, err
	}
	return resp.Items(), nil
}

// patchMetadata sets a field of an object's metadata, if the object has not changed since it
// was read.
func (r *runner) patchMetadata(ctx context.Context, n *node, live document.Value, key string, value document.Value) error {
	meta := live.Get("metadata")
	metadata := document.NewObject().With("uid", meta.Get("uid")).With("resourceVersion", meta.Get("resourceVersion")).With(key, value)
	request := r.request(n, cluster.Patch)
	request.Format, request.Body = cluster.MergePatch, document.NewObject().With("metadata", metadata).JSON()
	_, err := r.cluster.Do(ctx, request)
	return err
}

// remove deletes an object, unless another one has its name. With a resourceVersion, the object must
// also be unchanged since it had that one.
func (r *runner) remove(ctx context.Context, n *node, policy string, resourceVersion document.Value) error {
	request := r.request(n, cluster.Delete)
	request.Deletion = cluster.Deletion{PropagationPolicy: &policy, UID: &n.uid}
	if version, ok := resourceVersion.Text(); ok {
		request.Deletion.ResourceVersion = &version
	}
	if n.isPod() {
		now := int64(0) // there is no kubelet to stop it
		request.Deletion.GracePeriodSeconds = &now
	}
	_, err := r.cluster.Do(ctx, request)
	return err
}

// kindOf returns the kind of an owner reference.
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
