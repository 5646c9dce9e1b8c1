//go:build js

package cluster

import "context"

// computed are resources of a server, see computed.go: the engine in a browser is smaller without them.
type computed struct{}

func (*Cluster) computedReading(context.Context, *Request, *endpoint) (*Reading, *Status, bool) {
	return nil, nil, false
}
