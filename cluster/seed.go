//go:build !js

package cluster

import (
	"context"
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/store"
)

// Seed stores an object of a built-in kind as [Cluster.Existing] converts it: with its status and managedFields, without
// admission and validation. An object with its name is not changed. It is for the objects with which a cluster begins.
func (c *Cluster) Seed(ctx context.Context, object document.Value) error {
	item, _, err := c.Existing(object)
	if err != nil {
		return err
	}
	if _, err = c.store.Create(ctx, item.Key, item.Value); errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}
