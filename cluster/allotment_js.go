//go:build js

package cluster

import (
	"net/netip"

	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/store"
)

// A browser allocates no addresses, see allotment.go: its engine is smaller without that.

type (
	addresses struct{}
	allotment struct{}
)

func newAddresses(store.Store[*Record], string, netip.Prefix) *addresses { return nil }

func (*task) allot(*defaults.Request) {}

func (*task) given() *kinds.Given { return nil }

func (*task) notAllotted(string) *Status { return nil }
