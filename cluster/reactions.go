//go:build !js

package cluster

import (
	"context"
	"maps"
	"sync/atomic"
)

// reactions are what a cluster does after changes of certain resources. The zero value has none.
type reactions struct {
	of atomic.Pointer[map[groupResource]func(context.Context)]
}

// reacting marks the context of the requests that a reaction makes.
type reacting struct{}

// OnChange calls react after an object of one of the resources of a group has been stored or deleted, before the request is
// answered. The requests that react makes with its context do not call it again. It is for the parts of an API server that
// keep objects in line with others, and must be called before the cluster is used concurrently.
func (c *Cluster) OnChange(group string, resources []string, react func(context.Context)) {
	of := map[groupResource]func(context.Context){}
	if was := c.reactions.of.Load(); was != nil {
		maps.Copy(of, *was)
	}
	for _, resource := range resources {
		of[groupResource{group, resource}] = react
	}
	c.reactions.of.Store(&of)
}

// react calls the reaction to a change of an object, if there is one.
func (c *Cluster) react(ctx context.Context, ep *endpoint) {
	of := c.reactions.of.Load()
	if of == nil || ctx.Value(reacting{}) != nil {
		return
	}
	if react := (*of)[groupResource{ep.kind.Group, ep.kind.Resource}]; react != nil {
		react(context.WithValue(context.WithoutCancel(ctx), reacting{}, true))
	}
}
