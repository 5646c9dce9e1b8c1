// Package attached has values that belong to objects which cannot hold them.
package attached

import (
	"runtime"
	"sync"
	"weak"
)

// Values has one value for each object, which is computed when it is first needed and dropped when the
// object is no longer in use. A value must not refer to its object, which would otherwise be in use for
// ever. The zero Values is empty. It is safe for concurrent use.
type Values[O, V any] struct {
	all sync.Map // weak.Pointer[O] → func() V
}

// Of returns the value of an object. Calls that need it while it is computed wait.
func (vs *Values[O, V]) Of(object *O, compute func() V) V {
	key := weak.Make(object)
	value, known := vs.all.Load(key)
	if !known {
		if value, known = vs.all.LoadOrStore(key, sync.OnceValue(compute)); !known {
			runtime.AddCleanup(object, func(key weak.Pointer[O]) { vs.all.Delete(key) }, key)
		}
	}
	return value.(func() V)()
}
