package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// terminatingFor is how long a definition that other finalizers keep is terminating after its
// objects are gone. kube-apiserver's finalizer controller works after the deletion is
// answered, so a client that reads the definition next finds it terminating, and its new
// objects are refused.
const terminatingFor = 100 * time.Millisecond

// awaitsCleanup reports whether the objects of a CustomResourceDefinition have to be deleted
// before it: its deletion has begun by name, and no client has removed the finalizer.
func awaitsCleanup(crd document.Value) bool {
	return hasMeta(crd, "deletionTimestamp") && slices.Contains(finalizers(crd), crdCleanup)
}

// cleanUp deletes the objects of a CustomResourceDefinition that is being deleted and then,
// once no objects remain, the definition itself. The objects of a definition that was never
// established are left (apiextensions-apiserver, pkg/controller/finalizer). c.crds.mu must be
// held.
func (c *Cluster) cleanUp(ctx context.Context, crd *schema.CRD, ep *endpoint, object document.Value) (ended bool, err error) {
	if !conditionTrue(object, "Established") {
		return c.endDefinition(ctx, ep, object, "NeverEstablished", "resource was never established")
	}
	own := c.endpointOf(crd.Declared[0])
	c.creations.wait(own.what())
	page, err := c.store.List(ctx, own.key("", ""), store.ListOptions[*Record]{})
	if err != nil {
		return false, err
	}
	left := 0
	for _, item := range page.Items {
		if gone, err := c.deleteInstance(ctx, own, item.Key); err != nil {
			return false, err
		} else if !gone {
			left++
		}
	}
	if left > 0 {
		return false, nil
	}
	return c.endDefinition(ctx, ep, object, "InstanceDeletionCompleted", "removed all instances")
}

// endDefinition deletes a CustomResourceDefinition that has no objects left. If other finalizers
// keep it, only its own finalizer is removed, after [terminatingFor].
func (c *Cluster) endDefinition(ctx context.Context, ep *endpoint, object document.Value, reason, message string) (ended bool, err error) {
	if len(otherFinalizers(object)) == 0 {
		return c.finish(ctx, ep, object, reason, message)
	}
	time.AfterFunc(terminatingFor, func() {
		c.crds.mu.Lock()
		// A store that fails or is closed leaves the finalizer. The next write to the definition or
		// the next cluster over the store tries again.
		ended, _ := c.finish(ctx, ep, object, reason, message)
		c.crds.mu.Unlock()
		if ended {
			c.reevaluateGroup(ctx, object)
		}
	})
	return false, nil
}

// finish deletes a CustomResourceDefinition whose deletion waits for its objects, or removes its
// own finalizer if others remain. It is then no longer terminating: new objects can be created.
// c.crds.mu must be held.
func (c *Cluster) finish(ctx context.Context, ep *endpoint, object document.Value, reason, message string) (ended bool, err error) {
	name, uid := meta(object, "name"), meta(object, "uid")
	// A client may have removed the finalizer meanwhile, or created the definition anew.
	awaits := func(crd document.Value) bool { return awaitsCleanup(crd) && meta(crd, "uid") == uid }
	keeps := func(crd document.Value) bool { return !awaits(crd) || len(otherFinalizers(crd)) > 0 }
	terminates := true
	kept, err := c.deleteUnless(ctx, ep.key("", name), keeps, func(current store.Item[*Record]) (*Record, error) {
		return c.controlledBy(ep, current, func(crd document.Value) document.Value {
			if !awaits(crd) {
				return crd
			}
			terminates = false
			return withCondition(withFinalizers(crd, otherFinalizers(crd)), conditionTerminating, "False", reason, message, formatTime(c.config.Now()))
		})
	})
	switch {
	case err != nil:
		return false, err
	case kept:
		if crd, ok := c.kinds.CRD(name); ok && !terminates {
			c.serve(crd, false)
		}
		return false, nil
	}
	c.deactivate(name)
	return true, nil
}

// otherFinalizers returns the finalizers that keep a CustomResourceDefinition once its objects are
// gone.
func otherFinalizers(crd document.Value) []string {
	return slices.DeleteFunc(finalizers(crd), func(f string) bool { return f == crdCleanup })
}

// deleteInstance deletes an object of a definition, or sets its deletionTimestamp if it has
// finalizers.
func (c *Cluster) deleteInstance(ctx context.Context, own *endpoint, key string) (gone bool, err error) {
	d := &deletion{Cluster: c, Request: &Request{Verb: Delete}, ep: own, now: c.config.Now()}
	keeps := func(object document.Value) bool { return len(finalizers(object)) > 0 }
	kept, err := c.deleteUnless(ctx, key, keeps, func(current store.Item[*Record]) (*Record, error) {
		object := current.Value.tree()
		object.Value = d.markDeleted(object.Value)
		return newRecord(object, document.Value{}), nil
	})
	return err == nil && !kept, err
}

// deleteUnless deletes an item, or changes it if its object is to be kept. It retries on
// concurrent writes, so that it always decides on the latest item.
func (c *Cluster) deleteUnless(ctx context.Context, key string, keeps func(object document.Value) bool,
	change func(current store.Item[*Record]) (*Record, error)) (kept bool, err error) {
	for {
		_, err = c.store.Delete(ctx, key, store.DeleteOptions[*Record]{Validate: func(current store.Item[*Record]) error {
			if keeps(current.Value.tree().Value) {
				return errChanged
			}
			return nil
		}})
		if errors.Is(err, errChanged) {
			_, err = c.store.Update(ctx, key, store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
				if !keeps(current.Value.tree().Value) {
					return nil, errChanged
				}
				next, err := change(current)
				if err != nil || next.same(current.Value) {
					return current.Value, err
				}
				return next, nil
			})
			kept = err == nil
		}
		switch {
		case errors.Is(err, errChanged):
			continue
		case errors.Is(err, store.ErrNotFound):
			return false, nil
		}
		return kept, err
	}
}

// terminatingCRD returns the error for creating an object of a definition whose objects are
// being deleted.
func (c *Cluster) terminatingCRD(ep *endpoint, name string) *Status {
	if ep.kind.Builtin {
		return nil
	}
	if !c.isTerminating(ep.kind) {
		return nil
	}
	what := ep.what()
	return &Status{Code: 403, Reason: ReasonForbidden,
		Message: what.String() + " \"" + name + "\" is forbidden: create not allowed while custom resource definition is terminating",
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name}}
}
