//go:build !js

package cluster

import "sync"

// creations counts the creations of custom resources that are under way, by the resource of their
// definition. The deletion of a definition waits for them before it lists the objects to delete:
// one that began before could otherwise store an object that nobody deletes. Updates need not
// be counted, because their objects exist.
type creations struct {
	mu    sync.Mutex
	ended sync.Cond
	of    map[groupResource]int
}

// beginCreation counts the creation of an object until endCreation. It returns the error for one
// that has to be refused, and that is not counted, because the definition is being deleted or is
// gone.
func (w *write) beginCreation(name string) *Status {
	c, ep := w.c, w.t.ep
	k := ep.kind
	if k.Builtin {
		return nil
	}
	c.creations.add(ep.what(), 1)
	w.creating = true
	st := c.terminatingCRD(ep, name)
	if _, served := c.kinds.Resource(k.Group, k.Version, k.Resource); !served {
		st = noResource()
	}
	if st != nil {
		w.endCreation()
	}
	return st
}

// endCreation ends a creation, if one has begun.
func (w *write) endCreation() {
	if w.creating {
		w.creating = false
		w.c.creations.add(w.t.ep.what(), -1)
	}
}

func (c *creations) add(of groupResource, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of, c.ended.L = map[groupResource]int{}, &c.mu
	}
	if c.of[of] += n; c.of[of] == 0 {
		delete(c.of, of)
		c.ended.Broadcast()
	}
}

// wait waits until no creation is under way. Those that begin meanwhile must be refused.
func (c *creations) wait(of groupResource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.of[of] > 0 {
		c.ended.Wait()
	}
}
