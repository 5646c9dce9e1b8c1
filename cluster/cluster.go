package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// Cluster answers API requests over a store of objects. [New] returns one; a zero Cluster is
// not usable. It is safe for concurrent use.
type Cluster struct {
	*pipeline
	store store.Store[*Record]
	crds  definitions
	// creations are those of custom resources that are under way.
	creations creations
	// definitionCache has parsed CustomResourceDefinitions; nil without a cache.
	definitionCache *DefinitionCache
	// follower is nil if the store is not shared.
	follower *follower
	// register updates the APIServices of a group. It is nil until RegisterVersions, which the page
	// does without.
	register atomic.Pointer[func(ctx context.Context, group string)]
	// reactions are those of OnChange, and computed are the resources of Compute.
	reactions reactions
	computed  computed
}

// WatchCompacted is the number of latest writes that watches still get after a compaction. kube-apiserver's watch cache
// keeps at least 100 events of each resource. Here the writes of all resources are in one history, which also keeps what was
// compiled for the definitions in it.
const WatchCompacted = 100

// NewStore returns an empty store in memory for a cluster, with kube-apiserver's limits on
// the size of an object and the lifetime of Events. Its method With adds the items that
// [Cluster.Existing] returns.
func NewStore() *store.Memory[*Record] {
	return store.NewMemory(store.MemoryOptions[*Record]{
		Equal: Equal, UID: (*Record).UID, Size: (*Record).Size, MaxBytes: MaxObjectBytes, Lifetime: (*Record).Lifetime,
		WatchCompacted: WatchCompacted,
	})
}

// New returns a cluster that serves the built-in kinds and those of the
// CustomResourceDefinitions in its store. It creates no objects, not even the namespace
// "default", as controllers.Bootstrap does; only with Config.StrictNamespaces do objects need
// their namespace. New fails if the configuration is invalid or the store cannot be read.
func New(config Config) (*Cluster, error) {
	p, err := newPipeline(config)
	if err != nil {
		return nil, err
	}
	if config.Kinds == nil {
		p.kinds.LeaveOff()
	}
	c := &Cluster{pipeline: p, store: config.Store, definitionCache: config.Definitions}
	if c.store == nil {
		c.store = NewStore()
	}
	if config.Addresses {
		if p.addresses, err = newAddresses(c.store, scopeOf(kinds.Find(hasAddresses)), config.ServiceRanges); err != nil {
			return nil, err
		}
	}
	p.readNamespace = c.storedNamespace
	load := c.loadDefinitions
	if config.Shared {
		load = c.follow
	}
	if err := load(context.Background()); err != nil {
		return nil, err
	}
	if config.Admission != nil {
		if c.admission, err = config.Admission(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Kinds returns the kinds that the cluster serves, including those of
// CustomResourceDefinitions. The registry changes as CustomResourceDefinitions do.
func (c *Cluster) Kinds() *schema.Registry { return c.kinds }

// Now returns the time of the cluster's clock.
func (c *Cluster) Now() time.Time { return c.config.Now() }

// NewUID returns a uid as those of new objects.
func (c *Cluster) NewUID() string { return c.config.UID() }

// Close ends all watches and closes the store. Later requests fail.
func (c *Cluster) Close() error { return c.store.Close() }

// Do answers a request. A non-nil error is always a [*Status].
func (c *Cluster) Do(ctx context.Context, r *Request) (*Response, error) {
	resp, st := c.do(ctx, r)
	if st != nil {
		return nil, st
	}
	return resp, nil
}

// resolveUpToDate returns the endpoint of a request. A request for an unknown kind first waits for the
// definitions that other clusters have written before.
func (c *Cluster) resolveUpToDate(ctx context.Context, r *Request) (*endpoint, *Status) {
	ep, st := c.resolve(r)
	if st != nil && c.CatchUp(ctx) == nil {
		ep, st = c.resolve(r)
	}
	return ep, st
}

func (c *Cluster) do(ctx context.Context, r *Request) (*Response, *Status) {
	ep, st := c.resolveUpToDate(ctx, r)
	if st != nil {
		return nil, st
	}
	if ep.streams {
		return c.stream(ctx, r, ep)
	}
	var resp *Response
	switch r.Verb {
	case Get, List, Watch:
		var reading *Reading
		if reading, st = c.reading(ctx, r, ep); st == nil {
			resp = reading.response(ep)
		}
	case DeleteCollection:
		resp, st = c.deleteCollection(ctx, r, ep)
	case Delete:
		resp, st = c.delete(ctx, r, ep)
	default:
		resp, st = c.write(ctx, r, ep)
	}
	return ep.warned(resp, st)
}

// generatedNames is the number of attempts to find a generated name that is not taken.
const generatedNames = 8

// write answers create, update and patch.
func (c *Cluster) write(ctx context.Context, r *Request, ep *endpoint) (*Response, *Status) {
	t, st := c.begin(r, ep)
	if st != nil {
		return nil, st
	}
	t.ctx = ctx
	var resp *Response
	switch {
	case r.Verb != Create:
		resp, st = (&write{c: c, t: t}).update(ctx)
	case ep.isAction():
		resp, st = c.act(ctx, t)
	case isReview(ep.kind):
		resp, st = c.review(ctx, t)
	default:
		resp, st = (&write{c: c, t: t}).create(ctx)
	}
	return resp, st.warning(t.warnings)
}

// write is a create, update or patch of an object in the store. The task computes the object to store, several
// times if other writes come first.
type write struct {
	c *Cluster
	t *task
	// was is the object that the last attempt started from, absent for a new one, and out is its outcome.
	was document.Value
	out outcome
	// creating is set while the write is counted among the creations under way.
	creating bool
	// reserved are the cluster IPs that the last attempt has reserved.
	reserved reservation
	// dropManagers is set if the object is stored without managedFields.
	dropManagers bool
}

// try makes attempts until the cluster IPs that one allocates could be reserved.
func (w *write) try(attempt func() (outcome, *Status)) (st *Status) {
	for {
		if w.out, st = attempt(); st != nil {
			return st
		}
		if again, st := w.reserve(); !again {
			return st
		}
	}
}

// create answers create.
func (w *write) create(ctx context.Context) (*Response, *Status) {
	for range generatedNames - 1 {
		resp, st := w.createOnce(ctx)
		if st == nil || st.Reason != ReasonAlreadyExists || meta(w.t.body, "name") != "" {
			return resp, st
		}
	}
	return w.createOnce(ctx)
}

func (w *write) createOnce(ctx context.Context) (*Response, *Status) {
	c, t := w.c, w.t
	if st := w.try(t.create); st != nil {
		return nil, st
	}
	defer w.unreserve()
	object := w.out.object
	name := meta(object.Value, "name")
	if st := c.terminatingCRD(t.ep, name); st != nil {
		return nil, st
	}
	key := t.ep.key(t.Request.Namespace, name)
	record, st := t.stored(t.ep.kind, object, t.basis)
	if st != nil {
		return nil, st
	}
	if t.dryRun() {
		if item, err := c.store.Get(ctx, key, store.GetOptions{}); err == nil {
			return nil, t.exists(item.Value, name, object.Value)
		}
		stored := record.tree()
		if version := meta(object.Value, "resourceVersion"); version != "" { // not replaced by storage
			stored.Value = withMetaText(stored.Value, "resourceVersion", version)
		}
		return t.respond(w.out, stored)
	}
	if st := w.beginCreation(name); st != nil {
		return nil, st
	}
	item, err := c.store.Create(ctx, key, record)
	if errors.Is(err, store.ErrTooLarge) {
		item, err = c.store.Create(ctx, key, record.withoutManagers())
	}
	w.endCreation()
	if errors.Is(err, store.ErrExists) {
		item, err := c.store.Get(ctx, key, store.GetOptions{})
		if err != nil {
			return nil, alreadyExists(t.ep.what(), name)
		}
		return nil, t.exists(item.Value, name, object.Value)
	}
	if err != nil {
		return nil, storeStatus(t.ep, name, err)
	}
	w.keepReserved()
	resp, st := t.answer(w.out, item)
	c.written(ctx, t.ep, item.Value)
	item.Value.compact(t.ep.kind)
	return resp, st
}

// exists returns the error for the create of an object whose name is taken.
func (t *task) exists(r *Record, name string, created document.Value) *Status {
	st := alreadyExists(t.ep.what(), name)
	if meta(created, "generateName") != "" { // also if the request has a name
		st.Message += ", the server was not able to generate a unique name for the object"
		st.Details.RetryAfterSeconds = 1
	}
	if hasMeta(r.tree().Value, "deletionTimestamp") {
		st.Message = "object is being deleted: " + st.Message
	}
	return st
}

// errDeleted reports that an update removed the last finalizer.
var errDeleted = errors.New("the last finalizer was removed")

// update answers update and patch.
func (w *write) update(ctx context.Context) (*Response, *Status) {
	c, t := w.c, w.t
	key := t.ep.key(t.Request.Namespace, t.Request.Name)
	defer w.unreserve()
	if t.dryRun() {
		defer w.endCreation()
		return w.rehearse(ctx, key)
	}
	item, err := w.save(ctx, key)
	w.endCreation()
	switch {
	case errors.Is(err, errDeleted):
		return c.finalized(ctx, t, key, w.out)
	case errors.Is(err, store.ErrNotFound):
		return nil, t.missing() // the store makes no attempt for an object that does not exist
	case err != nil:
		return nil, storeStatus(t.ep, t.Request.Name, err)
	}
	w.keepReserved()
	resp, st := t.answer(w.out, item)
	c.written(ctx, t.ep, item.Value)
	if hasAddresses(t.ep.strategy) {
		c.released(ctx, t.ep, w.was, item.Value.tree().Value)
	}
	return resp, st
}

// save stores the result of the request. As in kube-apiserver, an object that is too large with its
// managedFields is stored without them, except by an apply, which would have a different meaning.
func (w *write) save(ctx context.Context, key string) (store.Item[*Record], error) {
	o := store.UpdateOptions{CreateMissing: w.t.mayCreate()}
	item, err := w.c.store.Update(ctx, key, o, w.attempt)
	if errors.Is(err, store.ErrTooLarge) && w.t.Format != ApplyPatch {
		w.dropManagers = true
		item, err = w.c.store.Update(ctx, key, o, w.attempt)
	}
	return item, err
}

// attempt returns the record that results from the request for the current item, which has revision 0
// if there is none. The error is errDeleted if the object is to be deleted instead. The store calls it
// again if another write comes first, which voids the earlier attempt.
func (w *write) attempt(current store.Item[*Record]) (*Record, error) {
	t := w.t
	var live fieldmanager.Object
	var st *Status
	if current.Revision != 0 {
		if live, t.basis, st = w.c.open(t.ep.kind, current); st != nil {
			return nil, st
		}
	}
	w.was = live.Value
	w.endCreation()
	w.unreserve()
	st = w.try(func() (outcome, *Status) { return t.change(live) })
	if st == nil && w.out.created {
		st = w.beginCreation(t.Request.Name)
	}
	if st != nil {
		return nil, st
	}
	if w.out.deleted {
		return nil, errDeleted
	}
	record, st := t.changed(live, w.out.object, current.Value)
	if st != nil {
		return nil, st
	}
	if w.dropManagers {
		record = record.withoutManagers()
	}
	return record, nil
}

// changed returns the record to store, or the current record if the write changes nothing. As
// in the API server, the write is a no-op only if its result equals both the stored record and
// the live object as it would be stored now. The two differ if reading the record sets a
// default or drops a field.
func (t *task) changed(live, next fieldmanager.Object, current *Record) (*Record, *Status) {
	record, st := t.stored(t.ep.kind, next, t.basis)
	if st != nil {
		return record, st
	}
	if k := t.ep.kind; t.valid && !t.mutated && (k.Builtin || k.Storage) {
		record.valid.Store(k)
	}
	if !live.Value.Exists() {
		return record, nil
	}
	record.measure(current)
	if current.complete.Load() == t.ep.kind { // reading leaves the record unchanged
		if record.same(current) {
			return current, nil
		}
		return record, nil
	}
	if was, st := t.stored(t.ep.kind, live, t.basis); st == nil && record.same(was) && record.same(current) {
		return current, nil
	}
	return record, nil
}

// rehearse answers a request with dryRun: everything is done except storing the object.
func (w *write) rehearse(ctx context.Context, key string) (*Response, *Status) {
	t := w.t
	current, err := w.c.store.Get(ctx, key, store.GetOptions{})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, storeStatus(t.ep, t.Request.Name, err)
	}
	record, err := w.attempt(current)
	if err != nil && !errors.Is(err, errDeleted) {
		return nil, storeStatus(t.ep, t.Request.Name, err)
	}
	object := w.out.object
	if record != nil {
		object = record.tree()
		switch sent := meta(w.out.object.Value, "resourceVersion"); {
		case current.Revision != 0:
			object = versioned(object, current.Revision)
		case sent != "": // nothing is stored that would replace it
			object.Value = withMetaText(object.Value, "resourceVersion", sent)
		}
	}
	return t.respond(w.out, object)
}

// finalized deletes an object whose last finalizer was removed by an update. The response is
// the updated object with its previous resourceVersion.
func (c *Cluster) finalized(ctx context.Context, t *task, key string, out outcome) (*Response, *Status) {
	uid := meta(out.object.Value, "uid") // a new object may have the name by now
	item, err := c.store.Delete(ctx, key, store.DeleteOptions[*Record]{Preconditions: store.Preconditions{UID: &uid}})
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrPrecondition) {
		return nil, storeStatus(t.ep, t.Request.Name, err)
	}
	if err == nil {
		c.removed(ctx, t.ep, item.Value)
	}
	return t.respond(out, out.object)
}

// answer returns the response to a write, given the item that was stored.
func (t *task) answer(out outcome, item store.Item[*Record]) (*Response, *Status) {
	k, r := t.ep.kind, item.Value
	stored := versioned(r.tree(), item.Revision)
	if r.complete.Load() == k {
		return t.respondWith(out, stored)
	}
	object, b, st := t.readAs(k, stored, r, t.basis)
	if st != nil {
		return nil, st
	}
	if b.decoded && document.SameNode(object.Value, stored.Value) {
		r.complete.Store(k)
	}
	return t.respondWith(out, object)
}

// respond returns the response to a write, given the object to be stored.
func (t *task) respond(out outcome, object fieldmanager.Object) (*Response, *Status) {
	object, st := t.readUpdate(t.ep.kind, object, t.basis)
	if st != nil {
		return nil, st
	}
	return t.respondWith(out, object)
}

// respondWith returns the response to a write, given the object as read from storage.
func (t *task) respondWith(out outcome, object fieldmanager.Object) (*Response, *Status) {
	resp := &Response{Code: 200, Warnings: t.warnings, Problems: t.problems}
	if out.created {
		resp.Code = 201
	}
	resp.After = object
	t.passed(StageStored, object.Value)
	if t.ep.sub == subScale {
		var st *Status
		resp.Object, _, st = t.ep.scaleOf(object.Value)
		return resp, st
	}
	resp.Object = object.Join()
	return resp, nil
}
