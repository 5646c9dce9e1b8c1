//go:build js

package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
)

// A browser has no IPAddresses, see addressrecords.go: its engine is smaller without them.

type reservation struct{}

func (*write) reserve() (again bool, st *Status) { return false, nil }

func (*write) unreserve() {}

func (*write) keepReserved() {}

func (*Cluster) released(context.Context, *endpoint, document.Value, document.Value) {}
