//go:build js && !complete

package cluster

import "context"

// watcher has no values: the page's first engine, which is built for it, is kept small.
type watcher struct{}

func (w *watcher) endAt(int64) {}

// watch refuses watches, see watcher.
func (c *Cluster) watch(context.Context, *Request, *endpoint) (*Reading, *Status) {
	return nil, notAllowedHere()
}
