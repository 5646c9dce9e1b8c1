//go:build js && !watches

package cluster

import "context"

// watcher has no values: nothing watches in a browser, and its engines are smaller without it. The tag watches adds
// watches, selectors and the deletion of collections for the tests that replay recordings.
type watcher struct{}

func (w *watcher) endAt(int64) {}

// watch refuses watches, see watcher.
func (c *Cluster) watch(context.Context, *Request, *endpoint) (*Reading, *Status) {
	return nil, notAllowedHere()
}
