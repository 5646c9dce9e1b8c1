package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// watches holds open watches by the name of their CustomResourceDefinition.
type watches struct {
	mu sync.Mutex
	of map[string]map[*watcher]bool
}

func (w *watches) add(name string, watch *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string]map[*watcher]bool{}
	}
	if w.of[name] == nil {
		w.of[name] = map[*watcher]bool{}
	}
	w.of[name][watch] = true
}

func (w *watches) remove(name string, watch *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.of[name], watch); len(w.of[name]) == 0 {
		delete(w.of, name)
	}
}

// end ends the watches of the definition's objects once they have delivered the events up to
// the revision, because the objects that they delivered may differ from what a get returns
// now.
func (w *watches) end(name string, revision int64) {
	w.mu.Lock()
	ended := slices.Collect(maps.Keys(w.of[name]))
	delete(w.of, name)
	w.mu.Unlock()
	for _, watch := range ended {
		watch.endAt(revision)
	}
}

// endWatches ends the watches of a definition's objects after the events that have been stored
// so far: those of a deleted definition deliver the deletion of each object.
func (c *Cluster) endWatches(name string) { c.crds.watches.end(name, c.endOfWatches()) }

// endOfWatches returns the revision at which watches that end now do so. It is 0 if the store fails or is
// closed; the watches then end with what they have.
func (c *Cluster) endOfWatches() int64 {
	revision, err := c.store.Revision(context.Background())
	if err != nil {
		return 0
	}
	return revision
}

// renew ends the watches of the definition's objects if generation differs from the
// generation in effect.
func (c *Cluster) renew(name string, generation int64) {
	if was, ok := c.crds.generations[name]; ok && was != generation {
		c.endWatches(name)
	}
	if c.crds.generations == nil {
		c.crds.generations = map[string]int64{}
	}
	c.crds.generations[name] = generation
}
