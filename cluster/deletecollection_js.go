//go:build js && !complete

package cluster

import "context"

// deleteCollection refuses to delete collections, which a page does not do, so that its first engine
// is smaller.
func (c *Cluster) deleteCollection(context.Context, *Request, *endpoint) (*Response, *Status) {
	return nil, notAllowedHere()
}
