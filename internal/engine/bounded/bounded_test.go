package bounded

import (
	"sync"
	"testing"
)

func (m *Map) len() int {
	n := 0
	m.entries.Range(func(any, any) bool { n++; return true })
	return n
}

func TestMap(t *testing.T) {
	var m Map
	if _, ok := m.Load("a"); ok || m.LoadOrStore("a", 1) != 1 || m.LoadOrStore("a", 2) != 1 {
		t.Error("the first value of a key is not kept")
	}
	if v, ok := m.Load("a"); !ok || v != 1 {
		t.Errorf("loaded %v, %v, want 1", v, ok)
	}
	m.Clear()
	if m.len() != 0 {
		t.Error("Clear keeps entries")
	}
	for i := range most {
		m.LoadOrStore(i, i)
		m.LoadOrStore(i, i) // counts once
	}
	if m.len() != most {
		t.Errorf("%d entries, want %d: nothing is dropped before the limit", m.len(), most)
	}
}

// TestMapIsBounded stores more keys than a Map keeps, from several goroutines.
func TestMapIsBounded(t *testing.T) {
	var m Map
	var writers sync.WaitGroup
	const goroutines = 4
	for g := range goroutines {
		writers.Go(func() {
			for i := range 5 * most {
				key := [2]int{g, i}
				if m.LoadOrStore(key, key) != key {
					t.Error("the value of another key")
				}
			}
		})
	}
	writers.Wait()
	if n := m.len(); n > most+goroutines {
		t.Errorf("%d entries, want at most %d", n, most)
	}
}
