//go:build js

package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
)

// A browser has no IPAddresses, see addressrecords.go: its engine is smaller without them.

type reservation struct{}

func (*Cluster) reserve(*task, document.Value, document.Value) (again bool, st *Status) {
	return false, nil
}

func (*Cluster) unreserve(*task) {}

func (*task) keepReserved() {}

func (*Cluster) released(context.Context, *endpoint, document.Value, document.Value) {}
