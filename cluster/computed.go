//go:build !js

package cluster

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// computed are the resources whose objects a cluster does not store. The zero value has none.
type computed struct {
	of atomic.Pointer[map[groupResource]Computed]
}

// Computed returns the objects of a resource that is not stored, or the one with a name unless that is "".
type Computed func(ctx context.Context, name string) []document.Value

// Compute answers reads of a built-in, cluster-scoped resource with computed objects. It must be called before the
// cluster is used concurrently.
func (c *Cluster) Compute(group, resource string, objects Computed) {
	of := map[groupResource]Computed{}
	if was := c.computed.of.Load(); was != nil {
		maps.Copy(of, *was)
	}
	of[groupResource{group, resource}] = objects
	c.computed.of.Store(&of)
}

// computedReading answers a get or list of a resource that is computed; ok is false for all others. As in kube-apiserver,
// parameters that concern a store, such as resourceVersion and limit, have no effect.
func (c *Cluster) computedReading(ctx context.Context, r *Request, ep *endpoint) (reading *Reading, st *Status, ok bool) {
	of := c.computed.of.Load()
	if of == nil || ep.sub != "" {
		return nil, nil, false
	}
	objects := (*of)[ep.what()]
	if objects == nil {
		return nil, nil, false
	}
	reading = &Reading{Kind: ep.kind}
	if r.Verb == Get {
		if st := checkNameParameter(r.Name); st != nil {
			return nil, st, true
		}
		found := objects(ctx, r.Name)
		if len(found) == 0 {
			return nil, notFound(groupResource{ep.kind.Group, ep.kind.Singular}, r.Name), true
		}
		reading.Value = found[0]
		return reading, nil, true
	}
	s, st := c.selection(r, ep)
	if st != nil {
		return nil, st, true
	}
	found := slices.DeleteFunc(objects(ctx, ""), func(object document.Value) bool {
		matches, st := c.matches(s, ep.kind, recordOf(fieldmanager.Object{Value: object}, document.Value{}))
		return st != nil || !matches
	})
	for i, object := range found {
		found[i] = object.Without("kind").Without("apiVersion")
	}
	reading.Value = listOf(ep, document.NewObject(), document.NewList(found...))
	return reading, nil, true
}
