package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
)

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
