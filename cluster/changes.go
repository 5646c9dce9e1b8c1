package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// Change is a change of a stored object of any kind.
type Change struct {
	// Kind is the kind of the object in a version that is served.
	Kind *schema.Kind
	// Object is the object after the change and Previous before it, as they are
	// stored: without managedFields, with their resourceVersion. After a deletion,
	// Object does not exist; Previous does not for an object that is new or was
	// there when the stream began.
	Object, Previous document.Value
}

// Changes delivers the objects of a cluster and then their changes, in the order
// in which they are stored.
type Changes struct {
	cluster *Cluster
	events  store.Watcher[*Record]
}

// Changes begins a stream of changes of all objects. It must be stopped.
func (c *Cluster) Changes(ctx context.Context) (*Changes, error) {
	events, err := c.store.Watch(ctx, "/registry/", store.WatchOptions{Initial: true})
	if err != nil {
		return nil, err
	}
	return &Changes{c, events}, nil
}

// Next waits for the next change. The objects that exist when the stream begins come
// first; after them synced is true once, without a change.
func (c *Changes) Next(ctx context.Context) (change Change, synced bool, err error) {
	for {
		e, err := c.events.Next(ctx)
		if err != nil {
			return change, false, err
		}
		if e.Type == store.Bookmark {
			if e.InitialEnd {
				return change, true, nil
			}
			continue
		}
		object := versioned(e.Value.object, e.Revision).Value
		switch {
		case e.Type == store.Deleted:
			change.Previous = object
		case e.Previous != nil:
			change.Previous = e.Previous.object.Value
			fallthrough
		default:
			change.Object = object
		}
		if kind, ok := c.cluster.servedKind(object); ok {
			change.Kind = kind
			return change, false, nil
		}
		change = Change{}
	}
}

// Stop ends the stream.
func (c *Changes) Stop() { c.events.Stop() }

// servedKind finds the kind of a stored object in a version that is served, which
// the storage version may not be.
func (c *Cluster) servedKind(object document.Value) (*schema.Kind, bool) {
	if k, ok := c.kinds.Of(object); ok && k.Resource != "" {
		if _, ok := c.kinds.Resource(k.Group, k.Version, k.Resource); ok {
			return k, true
		}
	}
	group, _, _ := schema.SplitAPIVersion(object.Get("apiVersion").StringOr(""))
	for _, k := range c.kinds.Served(group, object.Get("kind").StringOr("")) {
		return k, true
	}
	return nil, false
}
