//go:build js

package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
)

// act refuses actions, which are not offered in a browser: without them, the engines that a
// page loads are smaller.
func (c *Cluster) act(_ context.Context, t *task) (*Response, *Status) {
	return nil, notServed(t.ep, t.ep.sub)
}

// stream refuses streams, which are not offered in a browser either.
func (c *Cluster) stream(_ context.Context, _ *Request, ep *endpoint) (*Response, *Status) {
	return nil, notServed(ep, ep.sub)
}

// tokenStatus returns the status of a TokenReview: no token is valid, as none was issued.
func (c *Cluster) tokenStatus(context.Context, document.Value) document.Value {
	return invalidTokenStatus(invalidToken)
}
