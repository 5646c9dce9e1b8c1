//go:build js

package cluster

import (
	"context"
	"errors"
	"net/netip"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema/defaults"
	"github.com/patchlab-dev/patchlab/store"
)

// The engines for browsers are built without the following, which keeps them within their budgets (web/budget.json).

// act refuses actions.
func (c *Cluster) act(_ context.Context, t *task) (*Response, *Status) {
	return nil, notServed(t.ep)
}

// stream refuses streams.
func (c *Cluster) stream(_ context.Context, _ *Request, ep *endpoint) (*Response, *Status) {
	return nil, notServed(ep)
}

// review refuses reviews: in a browser there are no users to review.
func (c *Cluster) review(_ context.Context, t *task) (*Response, *Status) {
	return nil, &Status{Code: 405, Reason: ReasonMethodNotAllowed, Message: t.Resource + " are not supported"}
}

// No addresses are allocated, and there are no IPAddresses (allotment.go, addressrecords.go).

type (
	addresses   struct{}
	allotment   struct{}
	reservation struct{}
)

func newAddresses(store.Store[*Record], string, []netip.Prefix) (*addresses, error) { return nil, nil }

func (*task) allot(*defaults.Request) {}

func (*task) given() *kinds.Given { return nil }

func (*task) notAllotted(string) *Status { return nil }

func (*write) reserve() (again bool, st *Status) { return false, nil }

func (*write) unreserve() {}

func (*write) keepReserved() {}

func (*Cluster) released(context.Context, *endpoint, document.Value, document.Value) {}

// Creations are not counted, because the requests of a page follow each other (creations.go).
type creations struct{}

func (w *write) beginCreation(name string) *Status { return w.c.terminatingCRD(w.t.ep, name) }

func (*write) endCreation() {}

func (creations) wait(groupResource) {}

// There are no resources that the server computes (computed.go).
type computed struct{}

func (*Cluster) computedReading(context.Context, *Request, *endpoint) (*Reading, *Status, bool) {
	return nil, nil, false
}

// Changes have no reactions (reactions.go).
type reactions struct{}

func (*Cluster) react(context.Context, *endpoint) {}

// No store is shared (followdefinitions.go).
type follower struct{}

func (c *Cluster) follow(context.Context) error {
	return errors.New("a shared store is not supported in a browser")
}

// CatchUp returns nil: no other cluster writes to the store.
func (c *Cluster) CatchUp(context.Context) error { return nil }

// countedAsChanged returns none (unkepttext.go).
func (t *task) countedAsChanged(_, _ document.Value) []document.Path { return nil }
