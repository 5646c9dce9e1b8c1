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
// time. So the value that was brought back last stays at hand, for any processor,
// until the process ends; what is brought back must be small enough for that.
type Desk[T any] struct {
	New  func() *T
	last atomic.Pointer[T]
	rest sync.Pool
}

// Borrow returns a value that nobody else has until it is brought back.
func (d *Desk[T]) Borrow() *T {
	if x := d.last.Swap(nil); x != nil {
		return x
	}
	if x, ok := d.rest.Get().(*T); ok {
		return x
	}
	return d.New()
}

// Return brings a value back, which its borrower must not use any more.
func (d *Desk[T]) Return(x *T) {
	if x = d.last.Swap(x); x != nil {
		d.rest.Put(x)
	}
}
