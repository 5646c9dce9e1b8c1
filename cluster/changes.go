package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// Change is a change to a stored object of any kind.
type Change struct {
	// Kind is the kind of the object, in a served version. If none is served any more, as of an object
	// that was deleted together with its CustomResourceDefinition, it has only the names and the
	// scope that the definition has before it in the stream.
	Kind *schema.Kind
	// Object is the object after the change and Previous the object before it, both as stored:
	// without managedFields, with their resourceVersion. Object is absent after a deletion.
	// Previous is absent for a new object and for one that existed when the stream began.
	Object, Previous document.Value
}

// Changes is a stream of all objects of a cluster followed by their changes, in the order in
// which they are stored. It is for a single goroutine.
type Changes struct {
	cluster *Cluster
	events  store.Watcher[*Record]
	// defined are the kinds of the definitions in the stream so far, by group and kind.
	defined map[groupResource]*schema.Kind
}

// Changes opens a stream of the changes to all objects. The caller must call Stop when it no
// longer needs the stream.
func (c *Cluster) Changes(ctx context.Context) (*Changes, error) {
	events, err := c.store.Watch(ctx, "/registry/", store.WatchOptions{Initial: true})
	if err != nil {
		return nil, err
	}
	return &Changes{cluster: c, events: events, defined: map[groupResource]*schema.Kind{}}, nil
}

// Next waits for the next change. The objects that exist when the stream begins come first.
// After them Next returns once with synced true and no change.
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
		object := versioned(e.Value.tree(), e.Revision).Value
		switch {
		case e.Type == store.Deleted:
			change.Previous = object
		case e.Previous != nil:
			change.Previous = versioned(e.Previous.tree(), e.PreviousRevision).Value
			fallthrough
		default:
			change.Object = object
		}
		if change.Kind = c.kindOf(object); change.Kind != nil {
			if c.cluster.strategy(change.Kind).Defines {
				c.define(change)
			}
			return change, false, nil
		}
		change = Change{}
	}
}

// kindOf returns the kind of an object, nil if it is not known.
func (c *Changes) kindOf(object document.Value) *schema.Kind {
	if kind, ok := c.cluster.servedKind(object); ok {
		return kind
	}
	group, _, _ := schema.SplitAPIVersion(object.Get("apiVersion").StringOr(""))
	return c.defined[groupResource{group, object.Get("kind").StringOr("")}]
}

// define records the kind that a definition has after a change. The objects of a deleted definition were deleted
// before it.
func (c *Changes) define(change Change) {
	spec := change.Object.Get("spec")
	if !change.Object.Exists() {
		spec = change.Previous.Get("spec")
	}
	group, names := spec.Get("group").StringOr(""), spec.Get("names")
	of := groupResource{group, names.Get("kind").StringOr("")}
	delete(c.defined, of)
	for _, version := range spec.Get("versions").Items() {
		if served, _ := version.Get("served").Bool(); served && change.Object.Exists() {
			kind := schema.NewKind(schema.GroupVersionKind{Group: group, Version: version.Get("name").StringOr(""), Kind: of.resource}, nil)
			kind.Resource, kind.Namespaced = names.Get("plural").StringOr(""), spec.Get("scope").StringOr("") == "Namespaced"
			c.defined[of] = kind
			return
		}
	}
}

// Stop closes the stream.
func (c *Changes) Stop() { c.events.Stop() }

// servedKind returns a served version of the kind of a stored object. The storage version need
// not be served.
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
