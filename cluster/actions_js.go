//go:build js

package cluster

import "context"

// act refuses actions, which are not offered in a browser: without them, the engines that a
// page loads are smaller.
func (c *Cluster) act(_ context.Context, t *task) (*Response, *Status) {
	return nil, notServed(t.ep)
}

// stream refuses streams, which are not offered in a browser either.
func (c *Cluster) stream(_ context.Context, _ *Request, ep *endpoint) (*Response, *Status) {
	return nil, notServed(ep)
}

// review refuses reviews, for the same reason: in a browser there are no users to review.
func (c *Cluster) review(_ context.Context, t *task) (*Response, *Status) {
	return nil, &Status{Code: 405, Reason: ReasonMethodNotAllowed, Message: t.Resource + " are not supported"}
}
