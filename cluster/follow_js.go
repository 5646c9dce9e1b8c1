//go:build js

package cluster

import (
	"context"
	"errors"
)

// follower has no values: no store is shared in a browser, and its engine is smaller without
// following one.
type follower struct{}

func (c *Cluster) follow(context.Context) error {
	return errors.New("a shared store is not supported in a browser")
}

// CatchUp returns nil: no other cluster writes to the store.
func (c *Cluster) CatchUp(context.Context) error { return nil }
