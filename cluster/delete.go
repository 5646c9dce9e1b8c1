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

// The values of DeleteOptions' propagationPolicy.
const (
	propagateOrphan     = "Orphan"
	propagateBackground = "Background"
	propagateForeground = "Foreground"
)

// deletion is the state of one delete or deletecollection request.
type deletion struct {
	*Cluster
	*Request
	ep      *endpoint
	options Deletion
	dry     bool
	now     time.Time
	// admitted reports whether admission has run for the request, as for an eviction.
	admitted bool
	// warnings are those that admission added.
	warnings []string
}

// named reports whether the request names the object. A deletecollection deletes objects
// without what some resources add to a deletion by name.
func (d *deletion) named() bool { return d.Verb != DeleteCollection }

// decision is what a deletion does to an object.
type decision struct {
	// update is the object to store first; absent if it is not changed.
	update fieldmanager.Object
	// remove reports whether the object is deleted, after its update if there is one.
	remove bool
	// unfinalized reports whether it is deleted because the options removed its last finalizer.
	unfinalized bool
	// period is the grace period that the object gets, nil if it keeps what it has.
	period *int64
}

// errChanged reports that the object was changed concurrently, so that the deletion has to be
// retried.
var errChanged = errors.New("the object has changed")

func (c *Cluster) delete(ctx context.Context, r *Request, ep *endpoint) (*Response, *Status) {
	d, st := c.newDeletion(r, ep)
	if st != nil {
		return nil, st
	}
	if st := checkNameParameter(r.Name); st != nil {
		return nil, st.warning(d.warnings)
	}
	resp, st := d.deleteOne(ctx, r.Namespace, r.Name)
	if st != nil {
		return nil, st.warning(d.warnings)
	}
	resp.Warnings = append(d.warnings, resp.Warnings...)
	return resp, nil
}

// newDeletion decodes the DeleteOptions: those of the body if there is one, otherwise those of
// the query.
func (c *Cluster) newDeletion(r *Request, ep *endpoint) (*deletion, *Status) {
	d := &deletion{Cluster: c, Request: r, ep: ep, options: r.Deletion, now: c.config.Now()}
	dryRun := r.DryRun
	if r.Document != nil || len(r.Body) > 0 {
		var st *Status
		if d.options, dryRun, st = c.readDeletion(r); st != nil {
			return nil, st
		}
	}
	if st := checkDeletion(&d.options, dryRun); st != nil {
		return nil, st
	}
	d.dry = len(dryRun) > 0
	if d.options.PropagationPolicy == nil && d.options.OrphanDependents == nil {
		d.warn(ep.strategy.OrphanWarning)
	}
	return d, nil
}

// endingFor is how long an object that is marked as being deleted and then removed by the same request,
// such as a pod without a node, can be seen in between. kube-apiserver's two writes to etcd take
// that long. Without it, the caches of clients receive both changes at once, and controllers
// that act on a deletionTimestamp never see it.
const endingFor = 2 * time.Millisecond

// deleteOne deletes an object, or sets its deletionTimestamp if finalizers or a grace period prevent
// its immediate deletion. It begins anew if another client writes the object meanwhile.
func (d *deletion) deleteOne(ctx context.Context, namespace, name string) (*Response, *Status) {
	if st := d.checkProtected(name); st != nil {
		return nil, st
	}
	key := d.ep.key(namespace, name)
	for {
		resp, st, err := d.attempt(ctx, key)
		switch {
		case err == nil:
			return resp, st
		case !errors.Is(err, errChanged):
			return nil, storeStatus(d.ep, name, err)
		}
	}
}

// attempt deletes the current revision of an object. err is an error of the store, errChanged for another revision.
func (d *deletion) attempt(ctx context.Context, key string) (resp *Response, st *Status, err error) {
	item, err := d.store.Get(ctx, key, store.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	live, st := d.read(d.ep.kind, versioned(item.Value.tree(), item.Revision))
	if st != nil {
		return nil, st, nil
	}
	if metaInt(live.Value, "deletionGracePeriodSeconds") < 0 { // which an apply that creates an object can set
		live.Value = withMeta(live.Value, "deletionGracePeriodSeconds", document.NewInt(1))
	}
	v, st := d.decide(live)
	if st != nil {
		return nil, st, nil
	}
	if v.remove || v.update.Value.Exists() {
		if st := d.admit(ctx, live, v.period); st != nil {
			return nil, st, nil
		}
	}
	if v.unfinalized {
		if resp, st := d.unfinalized(live); resp != nil || st != nil {
			return resp, st, nil
		}
	}
	if d.dry {
		resp, st = d.answer(live, v)
		return resp, st, nil
	}
	return d.carryOut(ctx, key, item, live, v)
}

// carryOut stores what was decided about an object: the update, the removal, or both in this order.
func (d *deletion) carryOut(ctx context.Context, key string, item store.Item[*Record], live fieldmanager.Object, v decision) (resp *Response, st *Status, err error) {
	marked := v.update.Value.Exists()
	if marked {
		if item, err = d.mark(ctx, key, item, v.update); err != nil {
			return nil, nil, err
		}
		live = versioned(item.Value.tree(), item.Revision)
		v.update = live
		d.written(ctx, d.ep, item.Value)
	}
	if v.remove {
		if marked || v.unfinalized { // admission runs for the update and for the removal
			if st := d.admit(ctx, live, v.period); st != nil {
				return nil, st, nil
			}
		}
		removed, ended, err := d.remove(ctx, key, item, marked)
		if err != nil {
			return nil, nil, err
		}
		if !ended {
			live = versioned(removed.Value.tree(), removed.Revision)
			d.removed(ctx, d.ep, removed.Value)
		}
		v.update = fieldmanager.Object{}
	}
	resp, st = d.answer(live, v)
	return resp, st, nil
}

// remove deletes the item that the decision was about. If this request has already set its
// deletionTimestamp (marked), later writes of others do not prevent that, and an object that
// another client has removed meanwhile, as a kubelet does at once, counts as deleted: ended is then
// true (kubernetes/kubernetes#19403).
func (d *deletion) remove(ctx context.Context, key string, item store.Item[*Record], marked bool) (removed store.Item[*Record], ended bool, err error) {
	o := store.DeleteOptions[*Record]{Validate: unchanged(item.Revision)}
	if marked {
		time.Sleep(endingFor)
		uid := item.Value.UID() // a new object may have the name by now
		o = store.DeleteOptions[*Record]{Preconditions: store.Preconditions{UID: &uid}}
	}
	removed, err = d.store.Delete(ctx, key, o)
	if marked && (errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrPrecondition)) {
		return removed, true, nil
	}
	return removed, false, err
}

// unfinalized reproduces two bugs of the API server for an object that is deleted because the
// options removed its last finalizer: a dry run returns an empty object, and a resourceVersion
// precondition fails with a conflict. In all other cases it returns nothing.
func (d *deletion) unfinalized(live fieldmanager.Object) (*Response, *Status) {
	switch {
	case d.dry:
		return &Response{Code: 200, Object: d.zeroObject(d.ep.kind)}, nil
	case d.options.ResourceVersion != nil:
		name := meta(live.Value, "name")
		return nil, conflict(d.ep.what(), name, storageError(d.ep.key(meta(live.Value, "namespace"), name),
			"ResourceVersion", "", meta(live.Value, "resourceVersion")))
	}
	return nil, nil
}

// unchanged returns a precondition that fails with errChanged unless the item has the given
// revision.
func unchanged(revision int64) func(store.Item[*Record]) error {
	return func(current store.Item[*Record]) error {
		if current.Revision != revision {
			return errChanged
		}
		return nil
	}
}

// mark stores the update that was decided for an item, unless the item has changed since.
func (d *deletion) mark(ctx context.Context, key string, decided store.Item[*Record], update fieldmanager.Object) (store.Item[*Record], error) {
	return d.store.Update(ctx, key, store.UpdateOptions{}, func(current store.Item[*Record]) (*Record, error) {
		if current.Revision != decided.Revision {
			return nil, errChanged
		}
		next, st := d.stored(d.ep.kind, update, basis{})
		if st != nil {
			return nil, st
		}
		if next.same(current.Value) {
			return current.Value, nil
		}
		return next, nil
	})
}

// answer returns the deleted object or, for most kinds, a Status with its name and uid.
func (d *deletion) answer(live fieldmanager.Object, v decision) (*Response, *Status) {
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

// success returns the Status of a request that succeeded. It has no details if these are nil.
func success(details *StatusDetails) document.Value {
	var b document.ObjectBuilder
	b.Set("kind", document.NewString("Status"))
	b.Set("apiVersion", document.NewString("v1"))
	b.Set("metadata", document.NewObject())
	b.Set("status", document.NewString("Success"))
	b.Set("details", details.object())
	return b.Object()
}

// decide decides what the deletion does to an object (rest.BeforeDelete, and
// deletionFinalizersForGarbageCollection of the generic registry).
func (d *deletion) decide(live fieldmanager.Object) (decision, *Status) {
	if st := d.checkPreconditions(live.Value); st != nil {
		return decision{}, st
	}
	next := live.Value
	if d.isEmptied() {
		if !hasMeta(next, "deletionTimestamp") {
			return decision{update: withValue(live, d.markNamespaceDeleted(next))}, nil
		}
		if next.Lookup("spec", "finalizers").Len() > 0 {
			return decision{}, nil
		}
	}
	if d.endsDefinition() && !hasMeta(next, "deletionTimestamp") {
		return decision{update: withValue(live, d.markDefinitionDeleted(next))}, nil
	}
	var period *int64
	if d.ep.strategy.Graceful {
		var pending bool
		if next, period, pending = d.grace(next); pending {
			return decision{}, nil
		}
	}
	had := len(finalizers(next)) > 0
	next = d.withPropagation(next)
	kept := len(finalizers(next)) > 0
	if period != nil {
		v := decision{update: withValue(live, next), remove: !kept && *period == 0}
		if !hasMeta(live.Value, "deletionTimestamp") {
			v.period = period
		}
		return v, nil
	}
	if kept {
		return decision{update: withValue(live, d.markDeleted(next))}, nil
	}
	return decision{remove: true, unfinalized: had}, nil
}

// withValue returns an object with another value and its managedFields.
func withValue(o fieldmanager.Object, value document.Value) fieldmanager.Object {
	o.Value = value
	return o
}

// isEmptied reports whether the object's contents are deleted before it, as those of a
// namespace.
func (d *deletion) isEmptied() bool { return d.ep.strategy.Emptied }

// endsDefinition reports whether the objects of a CustomResourceDefinition are deleted before
// it: not by a deletecollection, which leaves them in the store.
func (d *deletion) endsDefinition() bool { return d.named() && d.ep.isCRD() }

// hasOwnPreconditions reports whether the registry of the resource checks the preconditions itself, and requires the
// uid of the object that it has read if the options do not.
func (d *deletion) hasOwnPreconditions() bool { return d.isEmptied() || d.endsDefinition() }

// checkPreconditions compares the uid and resourceVersion of the options with the object's.
// The API server has separate messages for namespaces and CustomResourceDefinitions. For all
// other kinds its message has the internal version's kind, not the resource.
func (d *deletion) checkPreconditions(live document.Value) *Status {
	name := meta(live, "name")
	own := d.hasOwnPreconditions()
	kind := d.ep.whatKind()
	if d.ep.strategy.CoreKind {
		kind.group = ""
	}
	failed := func(what, wanted, found, might string) *Status {
		if own {
			return conflict(d.ep.what(), name, "Precondition failed: "+what+" in precondition: "+wanted+", "+what+" in object meta: "+found)
		}
		return conflict(kind, name, "the "+what+" in the precondition ("+wanted+") does not match the "+what+" in record ("+
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

// grace sets the grace period and the deletionTimestamp of a pod. The period is nil for a deletion that
// needs none, because that of an earlier one is over. pending reports whether a deletion is under way
// that this one does not shorten.
func (d *deletion) grace(object document.Value) (next document.Value, period *int64, pending bool) {
	asked := d.options.askedGrace()
	given := metaInt(object, "deletionGracePeriodSeconds")
	switch {
	case !hasMeta(object, "deletionTimestamp"):
		next, begun := d.beginGrace(object, asked)
		return next, &begun, false
	case given == 0:
		return object, nil, false
	case asked == nil || *asked >= given:
		return object, nil, true
	}
	next, shortened := d.shortenGrace(object, *asked, given)
	return next, &shortened, false
}

// beginGrace returns a pod whose deletion begins, and its grace period: the asked one, or else that of
// its spec. A pod that does not run needs none.
func (d *deletion) beginGrace(object document.Value, asked *int64) (document.Value, int64) {
	period, _ := object.Lookup("spec", "terminationGracePeriodSeconds").Int()
	if asked != nil {
		period = *asked
	}
	phase := object.Lookup("status", "phase").StringOr("")
	if object.Lookup("spec", "nodeName").StringOr("") == "" || phase == "Failed" || phase == "Succeeded" {
		period = 0
	}
	return d.ending(countGeneration(object), d.now.Add(time.Duration(period)*time.Second), period), period
}

// shortenGrace returns a pod whose deletion is under way with a shorter grace period than the given
// one, counted from the beginning of the deletion. A period that is over ends now.
func (d *deletion) shortenGrace(object document.Value, period, given int64) (document.Value, int64) {
	begin, err := time.Parse(time.RFC3339, meta(object, "deletionTimestamp"))
	if err != nil {
		begin = d.now
	}
	end := begin.Add(time.Duration(period-given) * time.Second)
	if end.Before(d.now) {
		end = d.now
		period = min(period, 1)
	}
	return d.ending(object, end, period), period
}

func (d *deletion) ending(object document.Value, end time.Time, period int64) document.Value {
	object = withMeta(object, "deletionTimestamp", document.NewString(formatTime(end)))
	return withMeta(object, "deletionGracePeriodSeconds", document.NewInt(period))
}

// countGeneration increments metadata.generation, if the object has one: its desired state has
// changed to absent.
func countGeneration(object document.Value) document.Value {
	if n := metaInt(object, "generation"); n > 0 {
		return withMeta(object, "generation", document.NewInt(n+1))
	}
	return object
}

// markDeleted sets the deletionTimestamp of an object that has finalizers: to now, also if it was set
// to a later time, which an apply that creates an object can do.
func (d *deletion) markDeleted(object document.Value) document.Value {
	marked := hasMeta(object, "deletionTimestamp")
	if !marked {
		object = countGeneration(object)
	}
	if at, err := time.Parse(time.RFC3339, meta(object, "deletionTimestamp")); !marked || err == nil && at.After(d.now) {
		object = withMeta(object, "deletionTimestamp", document.NewString(formatTime(d.now)))
	}
	return withMeta(object, "deletionGracePeriodSeconds", document.NewInt(0))
}

// markNamespaceDeleted returns a namespace that is being deleted, which waits for its spec.finalizers.
// orphanDependents=false selects foreground deletion here.
func (d *deletion) markNamespaceDeleted(object document.Value) document.Value {
	object = withMeta(object, "deletionTimestamp", document.NewString(formatTime(d.now)))
	object = object.Set(document.NewString("Terminating"), "status", "phase")
	names := finalizers(d.withPropagation(object))
	if d.options.OrphanDependents != nil && !*d.options.OrphanDependents {
		names = append(names, kinds.FinalizerForeground)
	}
	if sameSet(finalizers(object), names) {
		return object
	}
	seen := map[string]bool{}
	return withFinalizers(object, slices.DeleteFunc(names, func(n string) bool {
		again := seen[n]
		seen[n] = true
		return again
	}))
}

// markDefinitionDeleted returns a CustomResourceDefinition that is being deleted, which waits for
// the deletion of its objects.
func (d *deletion) markDefinitionDeleted(object document.Value) document.Value {
	now := formatTime(d.now)
	object = withMeta(object, "deletionTimestamp", document.NewString(now))
	if names := finalizers(object); !slices.Contains(names, crdCleanup) {
		object = withFinalizers(object, append(names, crdCleanup))
	}
	return withCondition(object, conditionTerminating, "True", "InstanceDeletionPending",
		"CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now)
}

// withPropagation adds or removes the finalizers orphan and foregroundDeletion of the garbage
// collector. The options take precedence over the object's existing finalizers, and those over
// the default of the resource.
func (d *deletion) withPropagation(object document.Value) document.Value {
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

// propagation reports which of the finalizers orphan and foregroundDeletion the object gets:
// neither if its resource is not garbage collected.
func (d *deletion) propagation(had []string) (orphan, foreground bool) {
	if d.ep.strategy.NotCollected {
		return false, false
	}
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
