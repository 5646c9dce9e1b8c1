//go:build !js

package cluster

import (
	"maps"
	"sync/atomic"
)

// byResource maps built-in resources to the values that a part of an API server has added to a cluster for them, such
// as functions. The zero value is empty. Reads take no lock.
type byResource[T any] struct {
	of atomic.Pointer[map[groupResource]T]
}

// set adds a value for resources of a group. Calls of set must not be concurrent.
func (b *byResource[T]) set(value T, group string, resources ...string) {
	next := map[groupResource]T{}
	if was := b.of.Load(); was != nil {
		maps.Copy(next, *was)
	}
	for _, resource := range resources {
		next[groupResource{group, resource}] = value
	}
	b.of.Store(&next)
}

// get returns the value for the resource of an endpoint, the zero value if there is none.
func (b *byResource[T]) get(ep *endpoint) (value T) {
	if of := b.of.Load(); of != nil {
		value = (*of)[ep.what()]
	}
	return value
}
