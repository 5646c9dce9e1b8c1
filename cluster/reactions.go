//go:build !js

package cluster

import "context"

// reactions are what a cluster does after changes of certain resources.
type reactions = byResource[func(context.Context)]

// reacting marks the context of the requests that a reaction makes.
type reacting struct{}

// OnChange calls react after an object of one of the resources of a group has been stored or deleted, before the request is
// answered. The requests that react makes with its context do not call it again. It is for the parts of an API server that
// keep objects in line with others, and must be called before the cluster is used concurrently.
func (c *Cluster) OnChange(group string, resources []string, react func(context.Context)) {
	c.reactions.set(react, group, resources...)
}

// react calls the reaction to a change of an object, if there is one.
func (c *Cluster) react(ctx context.Context, ep *endpoint) {
	if react := c.reactions.get(ep); react != nil && ctx.Value(reacting{}) == nil {
		react(context.WithValue(context.WithoutCancel(ctx), reacting{}, true))
	}
}
