//go:build !js

package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/store"
)

// follower activates CustomResourceDefinitions that other clusters have written to a shared
// store. It watches the store for them.
type follower struct {
	*Cluster
	scope string
	ended chan struct{} // closed when the store is closed, so that nothing is followed any more

	mu      sync.Mutex
	events  store.Watcher[*Record] // nil while no watch is open
	seen    int64                  // definitions up to this revision are in effect
	changed chan struct{}          // closed when seen changes
}

// follow starts the watch. Existing definitions are in effect when it returns.
func (c *Cluster) follow(ctx context.Context) error {
	ep, ok := c.crdEndpoint("")
	if !ok {
		return nil
	}
	f := &follower{Cluster: c, scope: ep.key("", ""), changed: make(chan struct{}), ended: make(chan struct{})}
	if err := f.begin(ctx); err != nil {
		return err
	}
	c.follower = f
	go f.run()
	return nil
}

// begin opens a watch and reads the definitions that exist.
func (f *follower) begin(ctx context.Context) error {
	w, err := f.store.Watch(ctx, f.scope, store.WatchOptions{Initial: true})
	if err != nil {
		return err
	}
	present := map[string]bool{}
	for {
		e, err := w.Next(ctx)
		if err != nil {
			w.Stop()
			return err
		}
		if e.InitialEnd {
			f.deactivateOthers(present)
			f.advance(w, e.Revision)
			return nil
		}
		name := meta(e.Value.tree().Value, "name")
		present[name] = true
		_ = f.define(ctx, name) // a definition that is not usable is not served, as after its creation
	}
}

// deactivateOthers deactivates the definitions that no longer exist.
func (f *follower) deactivateOthers(present map[string]bool) {
	f.crds.mu.Lock()
	defer f.crds.mu.Unlock()
	for _, k := range slices.Collect(f.kinds.Kinds()) {
		if name := k.Resource + "." + k.Group; !k.Builtin && !present[name] {
			f.deactivate(name)
		}
	}
}

// followAgainAfter is the time between two attempts to open a watch.
const followAgainAfter = 100 * time.Millisecond

// run processes events until the store is closed.
func (f *follower) run() {
	defer close(f.ended)
	ctx := context.Background()
	for {
		e, err := f.events.Next(ctx)
		switch {
		case errors.Is(err, store.ErrClosed):
			return
		case err != nil:
			for f.begin(ctx) != nil {
				if _, err := f.store.Revision(ctx); errors.Is(err, store.ErrClosed) {
					return
				}
				time.Sleep(followAgainAfter)
			}
			continue
		case e.Type == store.Deleted:
			f.crds.mu.Lock()
			f.deactivate(meta(e.Value.tree().Value, "name"))
			f.crds.mu.Unlock()
			f.reevaluateGroup(ctx, e.Value.tree().Value)
		case e.Type != store.Bookmark:
			_ = f.define(ctx, meta(e.Value.tree().Value, "name"))
		}
		f.advance(f.events, e.Revision)
	}
}

// advance records the revision up to which definitions are in effect.
func (f *follower) advance(w store.Watcher[*Record], revision int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events, f.seen = w, max(f.seen, revision)
	close(f.changed)
	f.changed = make(chan struct{})
}

// CatchUp waits until every CustomResourceDefinition that was written to the store before the
// call is in effect. Only definitions from other clusters over the same store
// ([Config.Shared]) need this; those of this cluster are in effect when the write returns.
func (c *Cluster) CatchUp(ctx context.Context) error {
	if c.follower == nil {
		return nil
	}
	now, err := c.store.Revision(ctx)
	if err != nil {
		return err
	}
	f := c.follower
	f.mu.Lock()
	w := f.events
	f.mu.Unlock()
	w.RequestBookmark()
	for {
		f.mu.Lock()
		seen, changed := f.seen, f.changed
		f.mu.Unlock()
		if seen >= now {
			return nil
		}
		select {
		case <-changed:
		case <-f.ended:
			return store.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
