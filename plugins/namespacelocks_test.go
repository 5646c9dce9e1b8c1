package plugins

import (
	"sync"
	"testing"
)

// TestNamespaceLocks locks namespaces from several goroutines: only one at a time has the lock of a
// namespace, and no lock is kept that nobody uses.
func TestNamespaceLocks(t *testing.T) {
	const goroutines, rounds = 8, 200
	namespaces := []string{"a", "b", "c"}
	var locks namespaceLocks
	held := map[string]*int{} // each guarded by the lock of its namespace
	for _, n := range namespaces {
		held[n] = new(int)
	}
	var users sync.WaitGroup
	for g := range goroutines {
		users.Go(func() {
			for i := range rounds {
				namespace := namespaces[(g+i)%len(namespaces)]
				unlock := locks.lock(namespace)
				*held[namespace]++
				unlock()
			}
		})
	}
	users.Wait()
	total := 0
	for _, n := range held {
		total += *n
	}
	if total != goroutines*rounds {
		t.Errorf("counted %d, want %d: two goroutines held a lock at once", total, goroutines*rounds)
	}
	if len(locks.of) != 0 {
		t.Errorf("%d locks are kept, want none", len(locks.of))
	}
	unlockA, unlockB := locks.lock("a"), locks.lock("b") // of other namespaces, so neither waits
	unlockA()
	unlockB()
}
