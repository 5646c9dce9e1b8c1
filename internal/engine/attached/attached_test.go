package attached

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func (vs *Values[O, V]) len() int {
	n := 0
	vs.all.Range(func(any, any) bool { n++; return true })
	return n
}

// TestOf checks that concurrent callers get the value of their object, which is computed once.
func TestOf(t *testing.T) {
	var vs Values[[16]string, string]
	var computed atomic.Int32
	objects := []*[16]string{{"a"}, {"b"}}
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for _, o := range objects {
				name := o[0]
				if got := vs.Of(o, func() string { computed.Add(1); return name }); got != name {
					t.Errorf("got %s, want %s", got, name)
				}
			}
		})
	}
	callers.Wait()
	if n := computed.Load(); int(n) != len(objects) {
		t.Errorf("computed %d values, want one for each of %d objects", n, len(objects))
	}
	runtime.KeepAlive(objects)
}

// TestValuesAreDropped checks that the values of objects that are no longer in use are dropped, and the
// others kept.
func TestValuesAreDropped(t *testing.T) {
	var vs Values[[16]string, int]
	kept := &[16]string{"kept"}
	vs.Of(kept, func() int { return 1 })
	for n := range 100 {
		vs.Of(&[16]string{"dropped"}, func() int { return n })
	}
	for deadline := time.Now().Add(10 * time.Second); vs.len() > 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d values are left, want that of the only object in use", vs.len())
		}
		runtime.GC()
	}
	if got := vs.Of(kept, func() int { return 2 }); got != 1 {
		t.Errorf("got %d, want the first value of an object in use, 1", got)
	}
}
