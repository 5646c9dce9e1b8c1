package cluster

import (
	"context"
	"errors"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// definitions guards the registry against writes of CustomResourceDefinitions
// that come in another order than they were stored in.
type definitions struct{ mu sync.Mutex }

const (
	crdGroup    = "apiextensions.k8s.io"
	crdResource = "customresourcedefinitions"
)

func (ep *endpoint) isCRD() bool {
	return ep.kind.Builtin && ep.kind.Group == crdGroup && ep.kind.Resource == crdResource
}

// crdEndpoint is the endpoint of CustomResourceDefinitions; ok is false in a
// cluster without it.
func (p *pipeline) crdEndpoint() (*endpoint, bool) {
	kind, ok := p.kinds.Resource(crdGroup, "v1", crdResource)
	if !ok {
		return nil, false
	}
	return &endpoint{kind: kind, facts: p.facts(kind), body: kind}, true
}

// loadDefinitions serves the CustomResourceDefinitions that the store holds.
func (c *Cluster) loadDefinitions() error {
	ep, ok := c.crdEndpoint()
	if !ok {
		return nil
	}
	page, err := c.store.List(context.Background(), ep.key("", ""), store.ListOptions[*Record]{})
	if err != nil {
		return err
	}
	for _, item := range page.Items {
		crd, err := schema.FromCRD(item.Value.object.Value)
		if err != nil {
			return err
		}
		c.kinds.AddCRD(crd)
	}
	return nil
}

// written is called after an object was stored. A CustomResourceDefinition is
// served from then on: what the API server's controllers write into its status
// within milliseconds, is written here at once.
func (c *Cluster) written(ctx context.Context, ep *endpoint, r *Record) {
	if !ep.isCRD() {
		return
	}
	c.crds.mu.Lock()
	defer c.crds.mu.Unlock()
	key := ep.key("", meta(r.object.Value, "name"))
	item, err := c.store.Update(ctx, key, store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
		object := current.Value.object
		object.Value = c.established(object.Value)
		return newRecord(object), nil
	})
	if err != nil {
		return
	}
	if crd, err := schema.FromCRD(item.Value.object.Value); err == nil {
		c.kinds.AddCRD(crd)
	}
}

// established is a CustomResourceDefinition whose names were accepted.
func (c *Cluster) established(object document.Value) document.Value {
	now := formatTime(c.config.Now())
	names := object.Lookup("spec", "names")
	object = object.Set(names, "status", "acceptedNames")
	conditions := object.Lookup("status", "conditions")
	conditions = withCondition(conditions, "NamesAccepted", "NoConflicts", "no conflicts found", now)
	conditions = withCondition(conditions, "Established", "InitialNamesAccepted", "the initial names have been accepted", now)
	return object.Set(conditions, "status", "conditions")
}

// withCondition adds a condition that is true, unless it is there.
func withCondition(conditions document.Value, kind, reason, message, now string) document.Value {
	var list document.ListBuilder
	if conditions.Kind() == document.List {
		for _, c := range conditions.Items() {
			if c.Get("type").StringOr("") == kind && c.Get("status").StringOr("") == "True" {
				return conditions
			}
			if c.Get("type").StringOr("") != kind {
				list.Append(c)
			}
		}
	}
	var b document.ObjectBuilder
	for _, m := range [...][2]string{{"lastTransitionTime", now}, {"message", message}, {"reason", reason}, {"status", "True"}, {"type", kind}} {
		b.Set(m[0], document.NewString(m[1]))
	}
	list.Append(b.Object())
	return list.List()
}

// removed is called after an object was deleted. With a
// CustomResourceDefinition go its objects, as the API server's finalizer does.
func (c *Cluster) removed(ctx context.Context, ep *endpoint, r *Record) {
	if !ep.isCRD() {
		return
	}
	c.crds.mu.Lock()
	defer c.crds.mu.Unlock()
	name := meta(r.object.Value, "name")
	crd, err := schema.FromCRD(r.object.Value)
	c.kinds.RemoveCRD(name)
	if err != nil || len(crd.Kinds) == 0 {
		return
	}
	own := &endpoint{kind: crd.Kinds[0], facts: c.facts(crd.Kinds[0]), body: crd.Kinds[0]}
	page, err := c.store.List(ctx, own.key("", ""), store.ListOptions[*Record]{})
	if err != nil {
		return
	}
	for _, item := range page.Items {
		if _, err := c.store.Delete(ctx, item.Key, store.DeleteOptions[*Record]{}); err != nil && !errors.Is(err, store.ErrNotFound) {
			return
		}
	}
}
