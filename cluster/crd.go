package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// CustomResourceDefinitions take effect as they are stored. What controllers of
// the API server do within milliseconds (naming, establishing, cleaning up)
// happens before the request is answered, as their status updates.

const (
	crdCleanup = "customresourcecleanup.apiextensions.k8s.io"
	// crdManager is the name under which the API server's controllers write.
	crdManager = "kube-apiserver"
)

// definitions are the CustomResourceDefinitions of a cluster.
type definitions struct {
	// mu is held while one is put into effect, so that the last state stored is
	// the one that takes effect last.
	mu sync.Mutex
	// terminating holds the names of those that are being deleted.
	terminating sync.Map
	// watches are the watches of custom resources, by the names of their
	// definitions. generations are those of the definitions in effect.
	watches     watches
	generations map[string]int64
}

// watches holds watches by the names of definitions.
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
	delete(w.of[name], watch)
}

// end ends the watches of the objects of a definition: what they showed is no
// longer what a get would show.
func (w *watches) end(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for watch := range w.of[name] {
		watch.events.Stop()
	}
	delete(w.of, name)
}

// renew ends the watches of a definition's objects if it has another generation
// than the one that was in effect.
func (c *Cluster) renew(name string, generation int64) {
	if was, ok := c.crds.generations[name]; ok && was != generation {
		c.crds.watches.end(name)
	}
	if c.crds.generations == nil {
		c.crds.generations = map[string]int64{}
	}
	c.crds.generations[name] = generation
}

func (ep *endpoint) isCRD() bool {
	return ep.strategy.Defines
}

// crdEndpoint is the endpoint of CustomResourceDefinitions, or their status; ok
// is false in a cluster without them.
func (p *pipeline) crdEndpoint(sub string) (*endpoint, bool) {
	s := kinds.Find(func(s *kinds.Strategy) bool { return s.Defines })
	kind, ok := p.kinds.Resource(s.Group, "v1", s.Resource)
	if !ok {
		return nil, false
	}
	return &endpoint{kind: kind, strategy: p.strategy(kind), body: kind, sub: sub}, true
}

// crdOf returns the CRD that a custom kind comes from, nil for none.
func (p *pipeline) crdOf(k *schema.Kind) *schema.CRD {
	crd, _ := p.kinds.CRD(k.Resource + "." + k.Group)
	return crd
}

// loadDefinitions puts the CustomResourceDefinitions that the store holds into
// effect.
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
		if err := c.define(ctx, meta(item.Value.object.Value, "name")); err != nil {
			return err
		}
	}
	return nil
}

// written is called after an object was stored. What follows from it happens also
// where the client has gone: the object is there.
func (c *Cluster) written(ctx context.Context, ep *endpoint, r *Record) {
	if c.admission != nil {
		defer c.admission.Changed(ep.kind)
	}
	if ep.isCRD() {
		// The object is stored and answered; what becomes of it shows in its status.
		_ = c.define(context.WithoutCancel(ctx), meta(r.object.Value, "name"))
	}
}

// removed is called after an object was deleted.
func (c *Cluster) removed(ctx context.Context, ep *endpoint, r *Record) {
	if c.admission != nil {
		defer c.admission.Changed(ep.kind)
	}
	ctx = context.WithoutCancel(ctx)
	switch {
	case ep.isCRD():
		c.crds.mu.Lock()
		c.forget(meta(r.object.Value, "name"))
		c.crds.mu.Unlock()
		c.reconsider(ctx, r.object.Value)
	case !ep.kind.Builtin:
		name := ep.kind.Resource + "." + ep.kind.Group
		if _, ends := c.crds.terminating.Load(name); ends {
			_ = c.define(ctx, name)
		}
	}
}

// forget takes a CustomResourceDefinition out of effect.
func (c *Cluster) forget(name string) {
	c.crds.watches.end(name)
	delete(c.crds.generations, name)
	c.kinds.RemoveCRD(name)
	c.crds.terminating.Delete(name)
	c.known.Clear()
	c.managers.Clear()
}

// reconsider looks again at the definitions of a group after names have come free.
func (c *Cluster) reconsider(ctx context.Context, gone document.Value) {
	for _, other := range c.groupOf(ctx, gone) {
		_ = c.define(ctx, meta(other, "name"))
	}
}

// groupOf returns the other CustomResourceDefinitions of the group of one.
func (c *Cluster) groupOf(ctx context.Context, crd document.Value) []document.Value {
	ep, ok := c.crdEndpoint("")
	if !ok {
		return nil
	}
	page, err := c.store.List(ctx, ep.key("", ""), store.ListOptions[*Record]{})
	if err != nil {
		return nil
	}
	var others []document.Value
	for _, item := range page.Items {
		other := item.Value.object.Value
		if meta(other, "name") != meta(crd, "name") && document.Equal(other.Lookup("spec", "group"), crd.Lookup("spec", "group")) {
			others = append(others, other)
		}
	}
	return others
}

// define puts the stored state of a CustomResourceDefinition into effect: its
// names are accepted or not, its kinds are served, or its objects are deleted.
func (c *Cluster) define(ctx context.Context, name string) error {
	freed, err := c.putIntoEffect(ctx, name)
	if freed.Exists() {
		c.reconsider(ctx, freed)
	}
	return err
}

// putIntoEffect is define but for the other definitions of the group, which have
// to be looked at again where freed, the definition, was deleted or gave up a name.
func (c *Cluster) putIntoEffect(ctx context.Context, name string) (freed document.Value, err error) {
	c.crds.mu.Lock()
	defer c.crds.mu.Unlock()
	ep, ok := c.crdEndpoint(subStatus)
	if !ok {
		return freed, nil
	}
	var was document.Value
	item, err := c.store.Update(ctx, ep.key("", name), store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
		was = current.Value.object.Value
		return c.controlled(ctx, ep, current)
	})
	if errors.Is(err, store.ErrNotFound) {
		c.forget(name)
		return freed, nil
	}
	if err != nil {
		return freed, err
	}
	object := item.Value.object.Value
	if givesUp(was.Lookup("status", "acceptedNames"), object.Lookup("status", "acceptedNames")) {
		freed = object
	}
	crd, err := c.definitions.read(name, object)
	if err != nil {
		c.forget(name)
		return freed, err
	}
	if conditionTrue(object, "NamesAccepted") || conditionTrue(object, "Established") {
		c.kinds.AddCRD(crd)
		c.known.Clear()
		c.managers.Clear()
		c.renew(name, metaInt(object, "generation"))
	} else {
		c.forget(name)
	}
	if !hasMeta(object, "deletionTimestamp") {
		return freed, nil
	}
	c.crds.terminating.Store(name, true)
	ended, err := c.cleanUp(ctx, crd, ep, name)
	if ended {
		freed = object
	}
	return freed, err
}

// controlled returns the record of a CustomResourceDefinition with its status as the
// naming and establishing controllers leave it.
func (c *Cluster) controlled(ctx context.Context, ep *endpoint, current store.Item[*Record]) (*Record, error) {
	live, st := c.read(ep.kind, versioned(current.Value.object, current.Revision))
	if st != nil {
		return nil, st
	}
	next := controlled(live.Value, c.groupOf(ctx, live.Value), formatTime(c.config.Now()))
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

// cleanUp deletes the objects of a CustomResourceDefinition that is being
// deleted and, once there are none, the definition itself. c.crds.mu is held.
func (c *Cluster) cleanUp(ctx context.Context, crd *schema.CRD, ep *endpoint, name string) (ended bool, err error) {
	own := &endpoint{kind: crd.Declared[0], strategy: c.strategy(crd.Declared[0]), body: crd.Declared[0]}
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
	return c.endDefinition(ctx, ep.key("", name), name)
}

// endDefinition deletes a CustomResourceDefinition that has no objects any more, or
// takes its finalizer off where others keep it.
func (c *Cluster) endDefinition(ctx context.Context, key, name string) (ended bool, err error) {
	others := func(current store.Item[*Record]) []string {
		return slices.DeleteFunc(finalizers(current.Value.object.Value), func(f string) bool { return f == crdCleanup })
	}
	kept, err := c.deleteUnless(ctx, key, others, func(object document.Value, names []string) document.Value {
		return withFinalizers(object, names)
	})
	if err != nil || kept {
		return false, err
	}
	c.forget(name)
	return true, nil
}

// deleteInstance deletes one object of a definition, or marks it where it has
// finalizers.
func (c *Cluster) deleteInstance(ctx context.Context, own *endpoint, key string) (gone bool, err error) {
	d := &deletion{Cluster: c, Request: &Request{Verb: Delete}, ep: own, now: c.config.Now()}
	names := func(current store.Item[*Record]) []string { return finalizers(current.Value.object.Value) }
	kept, err := c.deleteUnless(ctx, key, names, func(object document.Value, _ []string) document.Value {
		return d.marking(object)
	})
	return err == nil && !kept, err
}

// deleteUnless deletes an item, or changes it where finalizers keep it. It judges
// the latest item, whatever others write meanwhile.
func (c *Cluster) deleteUnless(ctx context.Context, key string, keep func(store.Item[*Record]) []string,
	change func(object document.Value, names []string) document.Value) (kept bool, err error) {
	for {
		_, err = c.store.Delete(ctx, key, store.DeleteOptions[*Record]{Validate: func(current store.Item[*Record]) error {
			if len(keep(current)) > 0 {
				return errAgain
			}
			return nil
		}})
		if errors.Is(err, errAgain) {
			_, err = c.store.Update(ctx, key, store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
				names := keep(current)
				if len(names) == 0 {
					return nil, errAgain
				}
				object := current.Value.object
				object.Value = change(object.Value, names)
				if next := newRecord(object, document.Value{}); !next.same(current.Value) {
					return next, nil
				}
				return current.Value, nil
			})
			kept = err == nil
		}
		switch {
		case errors.Is(err, errAgain):
			continue
		case errors.Is(err, store.ErrNotFound):
			return false, nil
		}
		return kept, err
	}
}

// terminatingCRD refuses to make an object of a definition that is being deleted.
func (c *Cluster) terminatingCRD(ep *endpoint, name string) *Status {
	if ep.kind.Builtin {
		return nil
	}
	if _, ends := c.crds.terminating.Load(ep.kind.Resource + "." + ep.kind.Group); !ends {
		return nil
	}
	what := ep.what()
	return &Status{Code: 403, Reason: ReasonForbidden,
		Message: what.String() + " \"" + name + "\" is forbidden: create not allowed while custom resource definition is terminating",
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name}}
}
