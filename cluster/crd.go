package cluster

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// A CustomResourceDefinition takes effect when it is stored. The work that kube-apiserver's
// CRD controllers do asynchronously (naming, establishing, finalizing) is done before the
// request is answered, as updates of its status. Only the end of a definition that other
// finalizers keep comes later.

const (
	crdCleanup = "customresourcecleanup.apiextensions.k8s.io"
	// crdManager is the field manager of the API server's CRD controllers.
	crdManager = "kube-apiserver"
	// conditionTerminating is true while the objects of a definition are being deleted.
	conditionTerminating = "Terminating"
	// terminatingFor is how long a definition that other finalizers keep is terminating after its
	// objects are gone. kube-apiserver's finalizer controller works after the deletion is
	// answered, so a client that reads the definition next finds it terminating, and its new
	// objects are refused.
	terminatingFor = 100 * time.Millisecond
)

// definitions holds the state of a cluster's CustomResourceDefinitions.
type definitions struct {
	// mu is held while a definition is activated, so that the state stored last is the one in
	// effect.
	mu sync.Mutex
	// watches are the open watches of custom resources and generations are the generations in
	// effect, both by the name of the definition.
	watches     watches
	generations map[string]int64
}

// watches holds open watches by the name of their CustomResourceDefinition.
type watches struct {
	mu sync.Mutex
	of map[string]map[*watcher]bool
}

func (w *watches) add(name string, watch *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string]map[*watcher]bool{}
	}
	if w.of[name] == nil {
		w.of[name] = map[*watcher]bool{}
	}
	w.of[name][watch] = true
}

func (w *watches) remove(name string, watch *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.of[name], watch); len(w.of[name]) == 0 {
		delete(w.of, name)
	}
}

// end ends the watches of the definition's objects once they have delivered the events up to
// the revision, because the objects that they delivered may differ from what a get returns
// now.
func (w *watches) end(name string, revision int64) {
	w.mu.Lock()
	ended := slices.Collect(maps.Keys(w.of[name]))
	delete(w.of, name)
	w.mu.Unlock()
	for _, watch := range ended {
		watch.endAt(revision)
	}
}

// endWatches ends the watches of a definition's objects after the events that have been stored
// so far: those of a deleted definition deliver the deletion of each object.
func (c *Cluster) endWatches(name string) { c.crds.watches.end(name, c.endOfWatches()) }

// endOfWatches returns the revision at which watches that end now do so. It is 0 if the store fails or is
// closed; the watches then end with what they have.
func (c *Cluster) endOfWatches() int64 {
	revision, err := c.store.Revision(context.Background())
	if err != nil {
		return 0
	}
	return revision
}

// renew ends the watches of the definition's objects if generation differs from the
// generation in effect.
func (c *Cluster) renew(name string, generation int64) {
	if was, ok := c.crds.generations[name]; ok && was != generation {
		c.endWatches(name)
	}
	if c.crds.generations == nil {
		c.crds.generations = map[string]int64{}
	}
	c.crds.generations[name] = generation
}

func (ep *endpoint) isCRD() bool {
	return ep.strategy.Defines
}

// crdEndpoint returns the endpoint of CustomResourceDefinitions or of their subresource sub;
// ok is false if the cluster does not serve them.
func (p *pipeline) crdEndpoint(sub string) (*endpoint, bool) {
	s := kinds.Find(func(s *kinds.Strategy) bool { return s.Defines })
	kind, ok := p.kinds.Resource(s.Group, "v1", s.Resource)
	if !ok {
		return nil, false
	}
	return &endpoint{kind: kind, strategy: p.strategy(kind), body: kind, sub: sub}, true
}

// crdOf returns the CRD that declares a custom kind, nil if there is none. That of a kind that is no longer
// served, whose objects watches may still have to deliver, is the one that it was read from.
func (p *pipeline) crdOf(k *schema.Kind) *schema.CRD {
	if k.Builtin {
		return nil // a CRD with the same name, in a built-in group, has no effect
	}
	if crd, ok := p.kinds.CRD(k.Resource + "." + k.Group); ok {
		return crd
	}
	return k.Definition
}

// loadDefinitions activates the CustomResourceDefinitions in the store.
func (c *Cluster) loadDefinitions(ctx context.Context) error {
	ep, ok := c.crdEndpoint("")
	if !ok {
		return nil
	}
	page, err := c.store.List(ctx, ep.key("", ""), store.ListOptions[*Record]{})
	if err != nil {
		return err
	}
	for _, item := range page.Items {
		if err := c.define(ctx, meta(item.Value.tree().Value, "name")); err != nil {
			return err
		}
	}
	return nil
}

// written processes the consequences of a stored write, such as the activation of a
// CustomResourceDefinition. It ignores the cancellation of the request, because the object is
// stored already.
func (c *Cluster) written(ctx context.Context, ep *endpoint, r *Record) {
	if c.admission != nil {
		defer c.admission.Changed(ep.kind)
	}
	if ep.isCRD() {
		// The request has succeeded; a failure here shows in the definition's status
		// conditions.
		_ = c.define(context.WithoutCancel(ctx), meta(r.tree().Value, "name"))
	}
	if ep.isCRD() || ep.strategy.Registers {
		c.registerGroup(ctx, r.tree().Value)
	}
	c.react(ctx, ep)
}

// removed processes the consequences of a deletion.
func (c *Cluster) removed(ctx context.Context, ep *endpoint, r *Record) {
	if c.admission != nil {
		defer c.admission.Changed(ep.kind)
	}
	ctx = context.WithoutCancel(ctx)
	switch {
	case ep.isCRD():
		c.crds.mu.Lock()
		c.deactivate(meta(r.tree().Value, "name"))
		c.crds.mu.Unlock()
		c.reevaluateGroup(ctx, r.tree().Value)
	case !ep.kind.Builtin:
		name := ep.kind.Resource + "." + ep.kind.Group
		if c.isTerminating(ep.kind) {
			_ = c.define(ctx, name)
		}
	case ep.strategy.Registers:
		c.registerGroup(ctx, r.tree().Value)
	case hasAddresses(ep.strategy):
		c.released(ctx, ep, r.tree().Value, document.Value{})
	}
	c.react(ctx, ep)
}

// deactivate deactivates a CustomResourceDefinition: its kinds are no longer served.
func (c *Cluster) deactivate(name string) {
	c.endWatches(name)
	delete(c.crds.generations, name)
	c.kinds.RemoveCRD(name)
	c.known.Clear()
	c.managers.Clear()
}

// reevaluateGroup re-evaluates the other definitions of a group after gone has released its names.
func (c *Cluster) reevaluateGroup(ctx context.Context, gone document.Value) {
	others, _ := c.groupOf(ctx, gone) // if they cannot be read, they get the names with their next change
	for _, other := range others {
		_ = c.define(ctx, meta(other, "name"))
	}
	c.registerGroup(ctx, gone)
}

// registerGroup updates the APIServices of the group of a CustomResourceDefinition or APIService that
// was written or deleted.
func (c *Cluster) registerGroup(ctx context.Context, changed document.Value) {
	if update := c.register.Load(); update != nil {
		(*update)(ctx, changed.Lookup("spec", "group").StringOr(""))
	}
}

// groupOf returns the other CustomResourceDefinitions of the same group.
func (c *Cluster) groupOf(ctx context.Context, crd document.Value) ([]document.Value, error) {
	ep, ok := c.crdEndpoint("")
	if !ok {
		return nil, nil
	}
	group, err := c.inGroup(ctx, ep, crd.Lookup("spec", "group").StringOr(""))
	return slices.DeleteFunc(group, func(other document.Value) bool { return meta(other, "name") == meta(crd, "name") }), err
}

// inGroup returns the stored objects, CustomResourceDefinitions or APIServices, whose spec names an
// API group, with their resourceVersion.
func (c *Cluster) inGroup(ctx context.Context, ep *endpoint, group string) ([]document.Value, error) {
	page, err := c.store.List(ctx, ep.key("", ""), store.ListOptions[*Record]{})
	if err != nil {
		return nil, err
	}
	var found []document.Value
	for _, item := range page.Items {
		if o := item.Value.tree(); o.Value.Lookup("spec", "group").StringOr("") == group {
			found = append(found, versioned(o, item.Revision).Value)
		}
	}
	return found, nil
}

// define puts the stored state of a CustomResourceDefinition into effect: it accepts its names
// or not, and serves its kinds or, if it is being deleted, deletes its objects. Then it
// re-evaluates the other definitions of the group whose names may have become free.
func (c *Cluster) define(ctx context.Context, name string) error {
	freed, err := c.activate(ctx, name)
	if freed.Exists() {
		c.reevaluateGroup(ctx, freed)
	}
	return err
}

// activate puts one definition into effect. freed is the definition if it was deleted or
// released a name, otherwise absent.
func (c *Cluster) activate(ctx context.Context, name string) (freed document.Value, err error) {
	c.crds.mu.Lock()
	defer c.crds.mu.Unlock()
	ep, ok := c.crdEndpoint(subStatus)
	if !ok {
		return freed, nil
	}
	var was document.Value
	item, err := c.store.Update(ctx, ep.key("", name), store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
		was = current.Value.tree().Value
		return c.controlled(ctx, ep, current)
	})
	if errors.Is(err, store.ErrNotFound) {
		c.deactivate(name)
		return freed, nil
	}
	if err != nil {
		return freed, err
	}
	object := item.Value.tree().Value
	if releasesNames(was.Lookup("status", "acceptedNames"), object.Lookup("status", "acceptedNames")) {
		freed = object
	}
	crd, err := c.definitionCache.read(name, withAcceptedNames(object))
	if err != nil {
		c.deactivate(name)
		return freed, err
	}
	if conditionTrue(object, "NamesAccepted") || conditionTrue(object, "Established") {
		c.serve(crd, conditionTrue(object, conditionTerminating))
		c.known.Clear()
		c.managers.Clear()
		c.renew(name, metaInt(object, "generation"))
	} else {
		c.deactivate(name)
	}
	if !awaitsCleanup(object) {
		return freed, nil
	}
	ended, err := c.cleanUp(ctx, crd, ep, object)
	if ended {
		freed = object
	}
	return freed, err
}

// serve serves the kinds of a definition. Other clusters may share crd, which is not changed.
func (c *Cluster) serve(crd *schema.CRD, terminating bool) {
	if crd.Terminating != terminating {
		changed := *crd
		changed.Terminating = terminating
		crd = &changed
	}
	c.kinds.AddCRD(crd)
}

// isTerminating reports whether the objects of a custom kind are being deleted with their definition.
func (c *Cluster) isTerminating(kind *schema.Kind) bool {
	crd := c.crdOf(kind)
	return crd != nil && crd.Terminating
}

// controlled returns the record of a CustomResourceDefinition with the status that the naming
// and establishing controllers set.
func (c *Cluster) controlled(ctx context.Context, ep *endpoint, current store.Item[*Record]) (*Record, error) {
	// With a failed list, every name would count as free.
	group, err := c.groupOf(ctx, current.Value.tree().Value)
	if err != nil {
		return nil, err
	}
	return c.controlledBy(ep, current, func(crd document.Value) document.Value {
		return controlled(crd, group, formatTime(c.config.Now()))
	})
}

// controlledBy returns the record of a CustomResourceDefinition that a controller of the API
// server changed through the status subresource.
func (c *Cluster) controlledBy(ep *endpoint, current store.Item[*Record], change func(crd document.Value) document.Value) (*Record, error) {
	live, st := c.read(ep.kind, versioned(current.Value.tree(), current.Revision))
	if st != nil {
		return nil, st
	}
	next := change(live.Value)
	if document.Identical(next, live.Value) {
		return current.Value, nil
	}
	t := c.newTask(&Request{Verb: Update, Name: meta(next, "name"), Options: Options{FieldManager: crdManager}}, ep)
	tracked := t.tracked(live, fieldmanager.Object{Value: next, Managed: live.Managed}.Join())
	record, st := t.stored(ep.kind, tracked, basis{})
	if st != nil {
		return nil, st
	}
	return record, nil
}

// awaitsCleanup reports whether the objects of a CustomResourceDefinition have to be deleted
// before it: its deletion has begun by name, and no client has removed the finalizer.
func awaitsCleanup(crd document.Value) bool {
	return hasMeta(crd, "deletionTimestamp") && slices.Contains(finalizers(crd), crdCleanup)
}

// cleanUp deletes the objects of a CustomResourceDefinition that is being deleted and then,
// once no objects remain, the definition itself. The objects of a definition that was never
// established are left (apiextensions-apiserver, pkg/controller/finalizer). c.crds.mu must be
// held.
func (c *Cluster) cleanUp(ctx context.Context, crd *schema.CRD, ep *endpoint, object document.Value) (ended bool, err error) {
	if !conditionTrue(object, "Established") {
		return c.endDefinition(ctx, ep, object, "NeverEstablished", "resource was never established")
	}
	own := &endpoint{kind: crd.Declared[0], strategy: c.strategy(crd.Declared[0]), body: crd.Declared[0]}
	c.creations.wait(own.what())
	page, err := c.store.List(ctx, own.key("", ""), store.ListOptions[*Record]{})
	if err != nil {
		return false, err
	}
	left := 0
	for _, item := range page.Items {
		if gone, err := c.deleteInstance(ctx, own, item.Key); err != nil {
			return false, err
		} else if !gone {
			left++
		}
	}
	if left > 0 {
		return false, nil
	}
	return c.endDefinition(ctx, ep, object, "InstanceDeletionCompleted", "removed all instances")
}

// endDefinition deletes a CustomResourceDefinition that has no objects left. If other finalizers
// keep it, only its own finalizer is removed, after [terminatingFor].
func (c *Cluster) endDefinition(ctx context.Context, ep *endpoint, object document.Value, reason, message string) (ended bool, err error) {
	if len(otherFinalizers(object)) == 0 {
		return c.finish(ctx, ep, object, reason, message)
	}
	time.AfterFunc(terminatingFor, func() {
		c.crds.mu.Lock()
		// A store that fails or is closed leaves the finalizer. The next write to the definition or
		// the next cluster over the store tries again.
		ended, _ := c.finish(ctx, ep, object, reason, message)
		c.crds.mu.Unlock()
		if ended {
			c.reevaluateGroup(ctx, object)
		}
	})
	return false, nil
}

// finish deletes a CustomResourceDefinition whose deletion waits for its objects, or removes its
// own finalizer if others remain. It is then no longer terminating: new objects can be created.
// c.crds.mu must be held.
func (c *Cluster) finish(ctx context.Context, ep *endpoint, object document.Value, reason, message string) (ended bool, err error) {
	name, uid := meta(object, "name"), meta(object, "uid")
	// A client may have removed the finalizer meanwhile, or created the definition anew.
	awaits := func(crd document.Value) bool { return awaitsCleanup(crd) && meta(crd, "uid") == uid }
	keeps := func(crd document.Value) bool { return !awaits(crd) || len(otherFinalizers(crd)) > 0 }
	terminates := true
	kept, err := c.deleteUnless(ctx, ep.key("", name), keeps, func(current store.Item[*Record]) (*Record, error) {
		return c.controlledBy(ep, current, func(crd document.Value) document.Value {
			if !awaits(crd) {
				return crd
			}
			terminates = false
			return withCondition(withFinalizers(crd, otherFinalizers(crd)), conditionTerminating, "False", reason, message, formatTime(c.config.Now()))
		})
	})
	switch {
	case err != nil:
		return false, err
	case kept:
		if crd, ok := c.kinds.CRD(name); ok && !terminates {
			c.serve(crd, false)
		}
		return false, nil
	}
	c.deactivate(name)
	return true, nil
}

// otherFinalizers returns the finalizers that keep a CustomResourceDefinition once its objects are
// gone.
func otherFinalizers(crd document.Value) []string {
	return slices.DeleteFunc(finalizers(crd), func(f string) bool { return f == crdCleanup })
}

// deleteInstance deletes an object of a definition, or sets its deletionTimestamp if it has
// finalizers.
func (c *Cluster) deleteInstance(ctx context.Context, own *endpoint, key string) (gone bool, err error) {
	d := &deletion{Cluster: c, Request: &Request{Verb: Delete}, ep: own, now: c.config.Now()}
	keeps := func(object document.Value) bool { return len(finalizers(object)) > 0 }
	kept, err := c.deleteUnless(ctx, key, keeps, func(current store.Item[*Record]) (*Record, error) {
		object := current.Value.tree()
		object.Value = d.markDeleted(object.Value)
		return newRecord(object, document.Value{}), nil
	})
	return err == nil && !kept, err
}

// deleteUnless deletes an item, or changes it if its object is to be kept. It retries on
// concurrent writes, so that it always decides on the latest item.
func (c *Cluster) deleteUnless(ctx context.Context, key string, keeps func(object document.Value) bool,
	change func(current store.Item[*Record]) (*Record, error)) (kept bool, err error) {
	for {
		_, err = c.store.Delete(ctx, key, store.DeleteOptions[*Record]{Validate: func(current store.Item[*Record]) error {
			if keeps(current.Value.tree().Value) {
				return errChanged
			}
			return nil
		}})
		if errors.Is(err, errChanged) {
			_, err = c.store.Update(ctx, key, store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
				if !keeps(current.Value.tree().Value) {
					return nil, errChanged
				}
				next, err := change(current)
				if err != nil || next.same(current.Value) {
					return current.Value, err
				}
				return next, nil
			})
			kept = err == nil
		}
		switch {
		case errors.Is(err, errChanged):
			continue
		case errors.Is(err, store.ErrNotFound):
			return false, nil
		}
		return kept, err
	}
}

// terminatingCRD returns the error for creating an object of a definition whose objects are
// being deleted.
func (c *Cluster) terminatingCRD(ep *endpoint, name string) *Status {
	if ep.kind.Builtin {
		return nil
	}
	if !c.isTerminating(ep.kind) {
		return nil
	}
	what := ep.what()
	return &Status{Code: 403, Reason: ReasonForbidden,
		Message: what.String() + " \"" + name + "\" is forbidden: create not allowed while custom resource definition is terminating",
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name}}
}
