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
// are dropped. The zero Map is empty. It is safe for concurrent use. Its keys and values have no type
// parameters, with which the engines of a page would be larger by half a kilobyte.
type Map struct {
	entries sync.Map
	n       atomic.Int32
}

// Load returns the value of a key.
func (m *Map) Load(key any) (value any, ok bool) { return m.entries.Load(key) }

// LoadOrStore returns the value of a key, which is the given one if it has none.
func (m *Map) LoadOrStore(key, value any) any {
	kept, loaded := m.entries.LoadOrStore(key, value)
	if !loaded && m.n.Add(1) > most {
		m.Clear()
	}
	return kept
}

// Clear drops all entries.
func (m *Map) Clear() {
	m.n.Store(0)
	m.entries.Clear()
}
