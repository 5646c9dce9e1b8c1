package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/store"
)

// The values of propagationPolicy.
const (
	propagateOrphan     = "Orphan"
	propagateBackground = "Background"
	propagateForeground = "Foreground"
)

// deletion is one deletion on its way.
type deletion struct {
	*Cluster
	*Request
	ep      *endpoint
	options Deletion
	dry     bool
	now     time.Time
	// warnings are those of admission.
	warnings []string
}

// verdict is what a deletion makes of a live object.
type verdict struct {
	// update is the state that the object goes to first; absent for none.
	update fieldmanager.Object
	// remove is set if the object is deleted after its update.
	remove bool
	// emptied is set if it is deleted because the options removed its last finalizer.
	emptied bool
}

// errAgain reports that an object has changed, so that the deletion starts over.
var errAgain = errors.New("the object has changed")

func (c *Cluster) delete(ctx context.Context, r *Request, ep *endpoint) (*Response, *Status) {
	d, st := c.newDeletion(r, ep)
	if st != nil {
		return nil, st
	}
	resp, st := d.one(ctx, r.Namespace, r.Name, true)
	if st != nil {
		return nil, st.warning(d.warnings)
	}
	resp.Warnings = append(d.warnings, resp.Warnings...)
	return resp, nil
}

// newDeletion reads the options: those of the body where there is one, else
// those of the query.
func (c *Cluster) newDeletion(r *Request, ep *endpoint) (*deletion, *Status) {
	d := &deletion{Cluster: c, Request: r, ep: ep, options: r.Deletion, now: c.config.Now()}
	dryRun := r.DryRun
	if len(r.Body) > 0 {
		var st *Status
		if d.options, dryRun, st = readDeletion(r); st != nil {
			return nil, st
		}
	}
	if st := checkDeletion(&d.options, dryRun); st != nil {
		return nil, st
	}
	d.dry = len(dryRun) > 0
	return d, nil
}

// one deletes an object, or marks it as being deleted where something keeps it.
// named reports whether the request names the object.
func (d *deletion) one(ctx context.Context, namespace, name string, named bool) (*Response, *Status) {
	if st := d.checkImmortal(name); st != nil {
		return nil, st
	}
	key := d.ep.key(namespace, name)
	for {
		item, err := d.store.Get(ctx, key, store.GetOptions{})
		if err != nil {
			return nil, d.storeStatus(d.ep, name, err)
		}
		live, st := d.read(d.ep.kind, versioned(item.Value.object, item.Revision))
		if st != nil {
			return nil, st
		}
		v, st := d.judge(live)
		if st != nil {
			return nil, st
		}
		if v.remove || v.update.Value.Exists() {
			if st := d.admit(ctx, live, named); st != nil {
				return nil, st
			}
		}
		if v.emptied {
			if resp, st := d.emptied(live); resp != nil || st != nil {
				return resp, st
			}
		}
		if d.dry {
			return d.answer(live, v)
		}
		if v.update.Value.Exists() {
			if item, err = d.mark(ctx, key, item); err != nil {
				if errors.Is(err, errAgain) {
					continue
				}
				return nil, d.storeStatus(d.ep, name, err)
			}
			live = versioned(item.Value.object, item.Revision)
			v.update = live
			d.written(ctx, d.ep, item.Value)
		}
		if v.remove {
			if item, err = d.store.Delete(ctx, key, store.DeleteOptions[*Record]{Validate: unchanged(item.Revision)}); err != nil {
				if errors.Is(err, errAgain) {
					continue
				}
				return nil, d.storeStatus(d.ep, name, err)
			}
			live = versioned(item.Value.object, item.Revision)
			d.removed(ctx, d.ep, item.Value)
			v.update = fieldmanager.Object{}
		}
		return d.answer(live, v)
	}
}

// emptied answers what the API server answers by mistake for an object that goes
// because the options took its last finalizer away: an empty object to a dry run,
// and a conflict where the options name a version. Else it answers nothing.
func (d *deletion) emptied(live fieldmanager.Object) (*Response, *Status) {
	switch {
	case d.dry:
		return &Response{Code: 200, Object: d.nothing(d.ep.kind)}, nil
	case d.options.ResourceVersion != nil:
		name := meta(live.Value, "name")
		return nil, conflict(d.ep.what(), name, storageError(d.ep.key(meta(live.Value, "namespace"), name),
			"ResourceVersion", "", meta(live.Value, "resourceVersion")))
	}
	return nil, nil
}

// unchanged makes a write fail with errAgain when the item is no longer the one
// that was judged.
func unchanged(revision int64) func(store.Item[*Record]) error {
	return func(current store.Item[*Record]) error {
		if current.Revision != revision {
			return errAgain
		}
		return nil
	}
}

// mark stores the state that the object goes to, if it is still the one that
// was judged.
func (d *deletion) mark(ctx context.Context, key string, judged store.Item[*Record]) (store.Item[*Record], error) {
	return d.store.Update(ctx, key, store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
		if current.Revision != judged.Revision {
			return nil, errAgain
		}
		live, st := d.read(d.ep.kind, versioned(current.Value.object, current.Revision))
		if st != nil {
			return nil, st
		}
		v, st := d.judge(live)
		if st != nil {
			return nil, st
		}
		next, st := d.stored(d.ep.kind, v.update, basis{})
		if st != nil {
			return nil, st
		}
		if next.same(current.Value) {
			return current.Value, nil
		}
		return next, nil
	})
}

// answer returns the object or, for some kinds, a Status that names it.
func (d *deletion) answer(live fieldmanager.Object, v verdict) (*Response, *Status) {
	object := live
	if v.update.Value.Exists() {
		object = v.update
	}
	code := 200
	if !v.remove && d.options.OrphanDependents != nil && !*d.options.OrphanDependents {
		code = 202
	}
	if !v.remove || d.ep.strategy.ReturnDeleted {
		shown, st := d.show(d.ep.kind, object)
		return &Response{Code: code, Object: shown}, st
	}
	details := StatusDetails{Group: d.ep.kind.Group, Kind: d.ep.kind.Resource, Name: meta(live.Value, "name"), UID: meta(live.Value, "uid")}
	return &Response{Code: code, Object: success(&details)}, nil
}

// success is the Status of a request that succeeded.
func success(details *StatusDetails) document.Value {
	var b document.ObjectBuilder
	b.Set("kind", document.NewString("Status"))
	b.Set("apiVersion", document.NewString("v1"))
	b.Set("metadata", document.NewObject())
	b.Set("status", document.NewString("Success"))
	b.Set("details", details.object())
	return b.Object()
}

// judge decides what becomes of a live object (BeforeDelete and the finalizers
// for garbage collection of the generic registry).
func (d *deletion) judge(live fieldmanager.Object) (verdict, *Status) {
	if st := d.checkPreconditions(live.Value); st != nil {
		return verdict{}, st
	}
	next := live.Value
	if d.isEmptied() {
		if !hasMeta(next, "deletionTimestamp") {
			return verdict{update: d.marked(live, d.terminating(next))}, nil
		}
		if next.Lookup("spec", "finalizers").Len() > 0 {
			return verdict{}, nil
		}
	}
	if d.ep.isCRD() && !hasMeta(next, "deletionTimestamp") {
		return verdict{update: d.marked(live, d.endingDefinition(next))}, nil
	}
	graceful, pending := false, false
	var period int64
	if d.ep.strategy.Graceful {
		next, period, graceful, pending = d.grace(next)
	}
	if pending {
		return verdict{}, nil
	}
	had := len(finalizers(next)) > 0
	next = d.withPropagation(next)
	kept := len(finalizers(next)) > 0
	if graceful {
		return verdict{update: d.marked(live, next), remove: !kept && period == 0}, nil
	}
	if kept {
		return verdict{update: d.marked(live, d.marking(next))}, nil
	}
	return verdict{remove: true, emptied: had}, nil
}

func (d *deletion) marked(live fieldmanager.Object, next document.Value) fieldmanager.Object {
	return fieldmanager.Object{Value: next, Managed: live.Managed}
}

// isEmptied reports whether the object has to be emptied before it goes, as a
// namespace.
func (d *deletion) isEmptied() bool { return d.ep.strategy.Emptied }

// checkPreconditions compares the uid and version that the client asked for. The
// API server has words of their own for namespaces and CustomResourceDefinitions,
// and names the kind of all others, not the resource.
func (d *deletion) checkPreconditions(live document.Value) *Status {
	name := meta(live, "name")
	own := d.isEmptied() || d.ep.isCRD()
	failed := func(what, wanted, found, might string) *Status {
		if own {
			return conflict(d.ep.what(), name, "Precondition failed: "+what+" in precondition: "+wanted+", "+what+" in object meta: "+found)
		}
		return conflict(d.ep.whatKind(), name, "the "+what+" in the precondition ("+wanted+") does not match the "+what+" in record ("+
			found+"). The object might have been "+might)
	}
	if wanted, found := d.options.UID, meta(live, "uid"); wanted != nil && *wanted != found {
		return failed("UID", *wanted, found, "deleted and then recreated")
	}
	if wanted, found := d.options.ResourceVersion, meta(live, "resourceVersion"); wanted != nil && *wanted != found {
		return failed("ResourceVersion", *wanted, found, "modified")
	}
	return nil
}

// grace sets the time that a pod has to stop. pending is set if it has been set
// before.
func (d *deletion) grace(object document.Value) (next document.Value, period int64, graceful, pending bool) {
	asked := d.options.GracePeriodSeconds
	if asked != nil && *asked < 0 {
		one := int64(1)
		asked = &one
	}
	if hasMeta(object, "deletionTimestamp") {
		given := metaInt(object, "deletionGracePeriodSeconds")
		if given == 0 {
			return object, 0, false, false
		}
		if asked == nil || *asked >= given {
			return object, given, false, true
		}
		period = *asked
		begin, err := time.Parse(time.RFC3339, meta(object, "deletionTimestamp"))
		if err != nil {
			begin = d.now
		}
		end := begin.Add(time.Duration(period-given) * time.Second)
		if end.Before(d.now) {
			end = d.now
			if period != 0 {
				period = 1
			}
		}
		return d.ending(object, end, period), period, true, false
	}
	if asked != nil {
		period = *asked
	} else {
		period, _ = object.Lookup("spec", "terminationGracePeriodSeconds").Int()
	}
	phase := object.Lookup("status", "phase").StringOr("")
	if object.Lookup("spec", "nodeName").StringOr("") == "" || phase == "Failed" || phase == "Succeeded" {
		period = 0
	}
	object = countGeneration(object)
	return d.ending(object, d.now.Add(time.Duration(period)*time.Second), period), period, true, false
}

func (d *deletion) ending(object document.Value, end time.Time, period int64) document.Value {
	object = withMeta(object, "deletionTimestamp", document.NewString(formatTime(end)))
	return withMeta(object, "deletionGracePeriodSeconds", document.NewInt(period))
}

// countGeneration adds one where the object counts generations: being deleted is
// another state to reach.
func countGeneration(object document.Value) document.Value {
	if n := metaInt(object, "generation"); n > 0 {
		return withMeta(object, "generation", document.NewInt(n+1))
	}
	return object
}

// marking says in the metadata that the object is being deleted and waits for
// its finalizers.
func (d *deletion) marking(object document.Value) document.Value {
	if !hasMeta(object, "deletionTimestamp") {
		object = countGeneration(object)
		object = withMeta(object, "deletionTimestamp", document.NewString(formatTime(d.now)))
	}
	return withMeta(object, "deletionGracePeriodSeconds", document.NewInt(0))
}

// terminating is a namespace that is being deleted; it waits for its
// spec.finalizers. Not to orphan means to delete in the foreground here.
func (d *deletion) terminating(object document.Value) document.Value {
	object = withMeta(object, "deletionTimestamp", document.NewString(formatTime(d.now)))
	object = object.Set(document.NewString("Terminating"), "status", "phase")
	object = d.withPropagation(object)
	if names := finalizers(object); d.options.OrphanDependents != nil && !*d.options.OrphanDependents {
		object = withFinalizers(object, append(names, kinds.FinalizerForeground))
	}
	return object
}

// endingDefinition is a CustomResourceDefinition that is being deleted; it waits
// for its objects to go.
func (d *deletion) endingDefinition(object document.Value) document.Value {
	now := formatTime(d.now)
	object = withMeta(object, "deletionTimestamp", document.NewString(now))
	if names := finalizers(object); !slices.Contains(names, crdCleanup) {
		object = withFinalizers(object, append(names, crdCleanup))
	}
	return withCondition(object, "Terminating", "True", "InstanceDeletionPending",
		"CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now)
}

// withPropagation puts the finalizers in and takes them out by which the garbage
// collector lets dependents live or deletes them first. Options count more than
// the object's finalizers, and those more than the resource's own policy.
func (d *deletion) withPropagation(object document.Value) document.Value {
	if d.ep.strategy.NotCollected {
		return object
	}
	had := finalizers(object)
	orphan, foreground := d.propagation(had)
	var names []string
	for _, n := range had {
		if n != kinds.FinalizerOrphan && n != kinds.FinalizerForeground {
			names = append(names, n)
		}
	}
	if orphan {
		names = append(names, kinds.FinalizerOrphan)
	}
	if foreground {
		names = append(names, kinds.FinalizerForeground)
	}
	if sameSet(had, names) {
		return object
	}
	return withFinalizers(object, names)
}

// propagation reports which of the two finalizers an object is to have.
func (d *deletion) propagation(had []string) (orphan, foreground bool) {
	if d.options.OrphanDependents != nil {
		return *d.options.OrphanDependents, false
	}
	if policy := d.options.PropagationPolicy; policy != nil {
		return *policy == propagateOrphan, *policy == propagateForeground
	}
	for _, n := range had {
		switch n {
		case kinds.FinalizerOrphan:
			return true, false
		case kinds.FinalizerForeground:
			return false, true
		}
	}
	return d.ep.strategy.OrphanByDefault, false
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
