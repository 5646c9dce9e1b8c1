//go:build js

package cluster

import "context"

// act refuses actions, which are not offered in a browser: without them, the engines that a
// page loads are smaller.
func (c *Cluster) act(_ context.Context, t *task) (*Response, *Status) {
	return nil, notServed(t.ep, t.ep.sub)
}
