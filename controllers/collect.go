package controllers

import (
	"context"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// Values of propagationPolicy.
const (
	orphan     = "Orphan"
	background = "Background"
	foreground = "Foreground"
)

// collect runs garbage collection for one object
// (k8s.io/kubernetes/pkg/controller/garbagecollector, attemptToDeleteItem):
//
//  1. If it is being deleted and has the finalizer orphan, the references of its
//     dependents to it are removed, then the finalizer.
//  2. If it is being deleted and has the finalizer foregroundDeletion, the finalizer
//     is removed once no dependent with blockOwnerDeletion is left.
//  3. Otherwise an object that is being deleted is not changed.
//  4. If it cannot be known whether one of its owners exists, it is not changed.
//  5. If at least one of its owners exists, its references to owners that do not
//     exist, or that wait for their dependents, are removed.
//  6. If none of its owners exists, or all that do wait for it, it is deleted: in
//     the foreground if an owner waits and it has dependents itself, otherwise as
//     its finalizers determine, or else in the background.
func (r *runner) collect(ctx context.Context, n *node) error {
	switch {
	case n.orphans():
		return r.orphanDependents(ctx, n)
	case n.foreground():
		return r.awaitDependents(ctx, n)
	case n.deleting || len(n.owners) == 0:
		return nil
	}
	live, err := r.live(ctx, n)
	if err != nil {
		return err
	}
	now, read := newNode(n.kind, live), live.Lookup("metadata", "resourceVersion")
	if now.deleting || len(now.owners) == 0 {
		return nil
	}
	var solid int
	var waiting, gone []owner
	for _, o := range now.owners {
		state, err := r.stateOf(ctx, n, o)
		if err != nil {
			return err
		}
		switch state {
		case ownerUnknown:
			return nil
		case ownerExists:
			solid++
		case ownerWaits:
			waiting = append(waiting, o)
		case ownerGone:
			gone = append(gone, o)
		}
	}
	switch {
	case solid > 0 && len(waiting)+len(gone) == 0:
		return nil
	case solid > 0:
		return r.dropOwners(ctx, n, live, append(waiting, gone...))
	case len(waiting) > 0 && len(r.graph.dependents[n.uid]) > 0:
		cycle, err := r.inCycle(ctx, n)
		if err == nil && cycle {
			err = r.unblock(ctx, n, live)
		}
		if err != nil {
			return err
		}
		return r.remove(ctx, n, foreground, read)
	}
	return r.remove(ctx, n, now.policy(), read)
}

// policy returns the propagation policy that an object's finalizers determine.
func (n *node) policy() string {
	switch {
	case slices.Contains(n.finalizers, finalizerOrphan):
		return orphan
	case slices.Contains(n.finalizers, finalizerForeground):
		return foreground
	}
	return background
}

type ownerState uint8

const (
	ownerUnknown ownerState = iota
	ownerExists
	ownerWaits
	ownerGone
)

// stateOf returns the state of an owner. That of an owner of a kind that is not served, or that an extension API server
// serves, is unknown, unless the controllers saw its deletion, and that of a namespaced owner of a cluster-scoped object
// always.
func (r *runner) stateOf(ctx context.Context, n *node, o owner) (ownerState, error) {
	if gone := r.graph.gone[o.uid]; gone != nil && gone.kind.Kind == o.kind && gone.name == o.name && (gone.namespace == "" || gone.namespace == n.namespace) {
		return ownerGone, nil
	}
	kind, ok := r.kindOf(o.apiVersion, o.kind)
	if !ok || r.Extensions != nil && r.Extensions.Serves(kind.Group, kind.Version) || kind.Namespaced && n.namespace == "" {
		return ownerUnknown, nil
	}
	reference := &node{kind: kind, name: o.name, uid: o.uid}
	if kind.Namespaced {
		reference.namespace = n.namespace
	}
	live, err := r.live(ctx, reference)
	switch {
	case isNotFound(err):
		return ownerGone, nil
	case err != nil:
		return ownerUnknown, err
	}
	if newNode(kind, live).foreground() {
		return ownerWaits, nil
	}
	return ownerExists, nil
}

// awaitDependents removes the finalizer of an object that is deleted in the foreground, once
// no dependent blocks it. Its dependents have been queued already.
func (r *runner) awaitDependents(ctx context.Context, n *node) error {
	for _, dependent := range r.graph.dependentsOf(n.uid) {
		if dependent.blocks(n.uid) {
			return nil
		}
	}
	return r.dropFinalizer(ctx, n, finalizerForeground)
}

// orphanDependents removes the references of an object's dependents to it. As long as one has a reference, the
// object keeps its finalizer: without the object, its dependents would be deleted.
func (r *runner) orphanDependents(ctx context.Context, n *node) error {
	for _, dependent := range r.graph.dependentsOf(n.uid) {
		if err := r.orphan(ctx, dependent, n.uid); err != nil && !isNotFound(err) {
			return err
		}
	}
	return r.dropFinalizer(ctx, n, finalizerOrphan)
}

// orphan removes the reference of an object to an owner, again if the object changed meanwhile.
func (r *runner) orphan(ctx context.Context, n *node, uid string) error {
	var err error
	for range maxTries {
		var live document.Value
		if live, err = r.live(ctx, n); err == nil {
			err = r.dropOwners(ctx, n, live, []owner{{uid: uid}})
		}
		if !isConflict(err) {
			return err
		}
	}
	return err
}

func (r *runner) dropFinalizer(ctx context.Context, n *node, name string) error {
	live, err := r.live(ctx, n)
	if err != nil {
		return err
	}
	had := live.Lookup("metadata", "finalizers").Strings()
	left := slices.DeleteFunc(slices.Clone(had), func(f string) bool { return f == name })
	if len(left) == len(had) {
		return nil
	}
	return r.patchMetadata(ctx, n, live, "finalizers", document.NewStrings(left...))
}

// dropOwners removes the references to some owners from an object.
func (r *runner) dropOwners(ctx context.Context, n *node, live document.Value, owners []owner) error {
	var left document.ListBuilder
	dropped := false
	for _, reference := range live.Lookup("metadata", "ownerReferences").Items() {
		uid := reference.Get("uid").StringOr("")
		if slices.ContainsFunc(owners, func(o owner) bool { return o.uid == uid }) {
			dropped = true
			continue
		}
		left.Append(reference)
	}
	if !dropped {
		return nil
	}
	return r.patchMetadata(ctx, n, live, "ownerReferences", left.List())
}

// inCycle reports whether a dependent of an object waits for its own dependents, so that the
// two objects might wait for each other. It reads the dependents, as stateOf reads the owners:
// the deletion of an object that is both may be missing from the graph, because its change
// has not been processed yet.
func (r *runner) inCycle(ctx context.Context, n *node) (bool, error) {
	for _, dependent := range r.graph.dependentsOf(n.uid) {
		live, err := r.live(ctx, dependent)
		if err != nil && !isNotFound(err) {
			return false, err
		}
		if newNode(dependent.kind, live).foreground() {
			return true, nil
		}
	}
	return false, nil
}

// unblock removes blockOwnerDeletion from an object's references.
func (r *runner) unblock(ctx context.Context, n *node, live document.Value) error {
	var references document.ListBuilder
	for _, reference := range live.Lookup("metadata", "ownerReferences").Items() {
		references.Append(reference.With("blockOwnerDeletion", document.NewBool(false)))
	}
	return r.patchMetadata(ctx, n, live, "ownerReferences", references.List())
}
