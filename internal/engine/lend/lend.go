// Package lend lends memory that is used again and again.
package lend

import (
	"sync"
	"sync/atomic"
)

// A Desk lends values to whoever needs one for a while. New makes one where none
// has been brought back. A Desk may be used by many goroutines at once and must
// not be copied.
//
// A sync.Pool alone forgets in a collection of garbage what lies in it, and gives
// a goroutine nothing that another processor has just put away. A long document
// brings collections about by itself, and so pays for its memory every other
// time. So one value that was brought back stays at hand, for any processor,
// until the process ends; what is brought back must be small enough for that.
// The others lie in a pool, so that each processor mostly has its own again, the
// memory of which is in its cache.
type Desk[T any] struct {
	New  func() *T
	kept atomic.Pointer[T]
	pool sync.Pool
}

// Borrow returns a value that nobody else has until it is brought back.
func (d *Desk[T]) Borrow() *T {
	if x, ok := d.pool.Get().(*T); ok {
		return x
	}
	if x := d.kept.Swap(nil); x != nil {
		return x
	}
	return d.New()
}

// Return brings a value back, which its borrower must not use any more.
func (d *Desk[T]) Return(x *T) {
	if !d.kept.CompareAndSwap(nil, x) {
		d.pool.Put(x)
	}
}
