package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
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
	ep := p.endpointOf(kind)
	ep.sub = sub
	return ep, true
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

// deactivate deactivates a CustomResourceDefinition: its kinds are no longer served.
func (c *Cluster) deactivate(name string) {
	c.endWatches(name)
	delete(c.crds.generations, name)
	c.kinds.RemoveCRD(name)
	c.forgetKinds()
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
		c.forgetKinds()
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
	tracked := t.tracked(live, withValue(live, next).Join())
	record, st := t.stored(ep.kind, tracked, basis{})
	if st != nil {
		return nil, st
	}
	return record, nil
}
