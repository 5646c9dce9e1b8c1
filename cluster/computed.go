//go:build !js

package cluster

import (
	"context"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// computed are the resources whose objects a cluster does not store.
type computed = byResource[Computed]

// Computed returns the objects of a resource that is not stored, or the one with a name unless that is "".
type Computed func(ctx context.Context, name string) []document.Value

// Compute answers reads of a built-in, cluster-scoped resource with computed objects. It must be called before the
// cluster is used concurrently.
func (c *Cluster) Compute(group, resource string, objects Computed) {
	c.computed.set(objects, group, resource)
}

// computedReading answers a get or list of a resource that is computed; ok is false for all others. As in kube-apiserver,
// parameters that concern a store, such as resourceVersion and limit, have no effect.
func (c *Cluster) computedReading(ctx context.Context, r *Request, ep *endpoint) (reading *Reading, st *Status, ok bool) {
	objects := c.computed.get(ep)
	if objects == nil || ep.sub != "" {
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
