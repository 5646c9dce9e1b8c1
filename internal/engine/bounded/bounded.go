// Package bounded has a cache that does not grow without limit.
package bounded

import (
	"sync"
	"sync/atomic"
)

// most is the number of entries that a Map keeps. It is greater than the number of kinds of most
// clusters, so that nothing is prepared twice for them.
const most = 1000

// Map is a sync.Map for what can be computed again. When it would have more than 1000 entries, all
// are dropped. The zero Map is empty. It is safe for concurrent use.
type Map[K comparable, V any] struct {
	entries sync.Map // K → V
	n       atomic.Int32
}

// Load returns the value of a key, the zero value if it has none.
func (m *Map[K, V]) Load(key K) (value V, ok bool) {
	kept, ok := m.entries.Load(key)
	if ok {
		value = kept.(V)
	}
	return value, ok
}

// LoadOrStore returns the value of a key, which is the given one if it has none.
func (m *Map[K, V]) LoadOrStore(key K, value V) V {
	kept, loaded := m.entries.LoadOrStore(key, value)
	if !loaded && m.n.Add(1) > most {
		m.Clear()
	}
	return kept.(V)
}

// Clear drops all entries.
func (m *Map[K, V]) Clear() {
	m.n.Store(0)
	m.entries.Clear()
}
