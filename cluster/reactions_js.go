//go:build js

package cluster

import "context"

// reactions are those of a server, see reactions.go: the engine in a browser is smaller without them.
type reactions struct{}

func (*Cluster) react(context.Context, *endpoint) {}
