// The API of a whole cluster.

package cluster

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// Config says how a cluster works. The zero value is a cluster of the newest
// Kubernetes version in memory.
type Config struct {
	// Version is the Kubernetes minor version, such as "1.36"; "" is the newest.
	Version string
	// Kinds are the kinds to begin with. nil are the built-in kinds of Version
	// that a plain API server serves.
	// CustomResourceDefinitions that are created are added to it.
	Kinds *schema.Registry
	// Store keeps the objects; nil is a store in memory. A store of another kind
	// must be made with [Equal] and [Record.UID].
	Store store.Store[*Record]
	// Definitions keeps what CustomResourceDefinitions were read as, for clusters that
	// begin with the same ones; nil keeps nothing.
	Definitions *DefinitionCache
	// Shared says that other processes write to the store as well. The
	// CustomResourceDefinitions that they write then take effect here, too.
	Shared bool
	// NoDefaults leaves the defaults of built-in kinds out.
	NoDefaults bool
	// Addresses gives Services the cluster IPs (of 10.96.0.0/16) and node ports
	// that they leave open, as the API server does. Else they stay open.
	Addresses bool
	// StrictNamespaces refuses to create objects in namespaces that do not exist or
	// are being deleted, and to delete default, kube-system and kube-public, as the
	// admission plugin NamespaceLifecycle does.
	StrictNamespaces bool
	// Converters convert custom resources between versions, by the name of
	// their CRD ("widgets.lab.example.com"). Metadata is kept whatever they
	// return. Without one only the apiVersion changes.
	Converters map[string]Converter
	// Rules evaluates the validation rules of custom resources; nil passes them over.
	Rules Rules
	// Conversion calls the conversion webhooks of CRDs that ask for one and have no
	// entry in Converters; with nil their objects are served in the version that
	// they are stored in only.
	Conversion Conversion
	// Admission makes what changes and refuses writes between validation and store;
	// nil admits every write. It is called once, with the cluster that asks it,
	// which answers requests by then.
	Admission func(*Cluster) (Admission, error)
	// Engine and PatchEngine do structured merges and patches; nil are this
	// project's own.
	Engine      fieldmanager.Engine
	PatchEngine patch.Engine
	// Now tells the time of writes; nil is time.Now.
	Now func() time.Time
	// UID makes the uid of a new object; nil makes random ones.
	UID func() string
	// Suffix makes the end of a generated name; nil makes random ones of five
	// characters, as the API server does.
	Suffix func() string
	// BookmarkInterval is how often a watch sends bookmarks; 0 is a minute.
	BookmarkInterval time.Duration
}

// A Converter returns an object in another apiVersion of its kind.
type Converter func(object document.Value, apiVersion string) (document.Value, error)

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.UID == nil {
		c.UID = randomUID
	}
	if c.Suffix == nil {
		c.Suffix = randomSuffix
	}
	if c.BookmarkInterval <= 0 {
		c.BookmarkInterval = time.Minute
	}
	return c
}

// randomUID makes a UUID of version 4 (RFC 9562). It is to be unique, not a
// secret: crypto/rand would bring 0.1 MB of cryptography into the page.
func randomUID() string {
	var b [16]byte
	binary.NativeEndian.PutUint64(b[:], rand.Uint64())
	binary.NativeEndian.PutUint64(b[8:], rand.Uint64())
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// suffixLetters leave out vowels and what looks alike, so that no words arise.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

func randomSuffix() string {
	var b [5]byte
	for i := range b {
		b[i] = suffixLetters[rand.IntN(len(suffixLetters))]
	}
	return string(b[:])
}

// Cluster answers requests over a store. It is safe for concurrent use.
type Cluster struct {
	*pipeline
	store store.Store[*Record]
	crds  definitions
	// definitions keeps what definitions were read as, nil for nothing.
	definitions *DefinitionCache
	// follower is nil where the store is not shared.
	follower *follower
}

// NewStore returns a store in memory for a cluster, with kube-apiserver's limits
// on the size of an object and the lifetime of Events.
func NewStore() store.Store[*Record] {
	return store.NewMemory(store.MemoryOptions[*Record]{
		Equal: Equal, UID: (*Record).UID, Size: (*Record).Size, MaxBytes: MaxObjectBytes, Lifetime: (*Record).Lifetime,
	})
}

// New returns a cluster. It has the CustomResourceDefinitions that its store
// holds. An error says what is wrong with the configuration or the store.
func New(config Config) (*Cluster, error) {
	p, err := newPipeline(config)
	if err != nil {
		return nil, err
	}
	if config.Kinds == nil {
		p.kinds.LeaveOff()
	}
	c := &Cluster{pipeline: p, store: config.Store, definitions: config.Definitions}
	if c.store == nil {
		c.store = NewStore()
	}
	if config.Addresses {
		p.addresses = newAddresses(c.store, "/registry/"+kinds.Find(hasAddresses).StorageName()+"/")
	}
	p.namespace = c.storedNamespace
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

// Kinds returns the kinds that the cluster serves, those of
// CustomResourceDefinitions included. It changes with them.
func (c *Cluster) Kinds() *schema.Registry { return c.kinds }

// Close ends all watches. Requests then fail.
func (c *Cluster) Close() error { return c.store.Close() }

// Do answers a request. An error is always a [*Status].
func (c *Cluster) Do(ctx context.Context, r *Request) (*Response, error) {
	resp, st := c.do(ctx, r)
	if st != nil {
		return nil, st
	}
	return resp, nil
}

func (c *Cluster) do(ctx context.Context, r *Request) (*Response, *Status) {
	ep, st := c.resolve(r)
	if st != nil && c.CatchUp(ctx) == nil {
		ep, st = c.resolve(r)
	}
	if st != nil {
		return nil, st
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
	if st != nil {
		return nil, ep.deprecated(st)
	}
	if warning := ep.deprecation(); warning != "" {
		resp.Warnings = append([]string{warning}, resp.Warnings...)
	}
	return resp, nil
}

// deprecated adds the warning of a deprecated version to a refusal.
func (e *endpoint) deprecated(st *Status) *Status {
	if warning := e.deprecation(); warning != "" {
		return st.warning([]string{warning})
	}
	return st
}

// deprecation is the warning that comes with every answer of a deprecated version,
// "" for none.
func (e *endpoint) deprecation() string {
	switch {
	case e.kind.Builtin:
		return e.strategy.Deprecated
	case e.kind.Deprecated:
		return e.kind.Warning
	}
	return ""
}

// generatedNames is how often a generated name is tried before it is given up.
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
		resp, st = c.update(ctx, t)
	case ep.isAction():
		resp, st = c.act(ctx, t)
	case asks(ep.kind):
		resp, st = t.review()
	default:
		resp, st = c.create(ctx, t)
	}
	return resp, st.warning(t.warnings)
}

func (c *Cluster) create(ctx context.Context, t *task) (*Response, *Status) {
	for range generatedNames - 1 {
		resp, st := c.createOnce(ctx, t)
		if st == nil || st.Reason != ReasonAlreadyExists || meta(t.body, "name") != "" {
			return resp, st
		}
	}
	return c.createOnce(ctx, t)
}

func (c *Cluster) createOnce(ctx context.Context, t *task) (*Response, *Status) {
	if st := c.checkNamespace(ctx, t, meta(t.body, "name")); st != nil {
		return nil, st
	}
	out, st := t.create()
	if st != nil {
		return nil, st.warning(out.warnings)
	}
	name := meta(out.object.Value, "name")
	if st := c.terminatingCRD(t.ep, name); st != nil {
		return nil, st
	}
	key := t.ep.key(t.Request.Namespace, name)
	record, st := t.stored(t.ep.kind, out.object, basis{})
	if st != nil {
		return nil, st
	}
	if t.dryRun() {
		if item, err := c.store.Get(ctx, key, store.GetOptions{}); err == nil {
			return nil, t.exists(item.Value, name)
		}
		return t.respond(out, record.object)
	}
	item, err := c.store.Create(ctx, key, record)
	if errors.Is(err, store.ErrTooLarge) {
		item, err = c.store.Create(ctx, key, record.withoutManagers())
	}
	if errors.Is(err, store.ErrExists) {
		item, err := c.store.Get(ctx, key, store.GetOptions{})
		if err != nil {
			return nil, alreadyExists(t.ep.what(), name)
		}
		return nil, t.exists(item.Value, name)
	}
	if err != nil {
		return nil, c.storeStatus(t.ep, name, err)
	}
	resp, st := t.answer(out, item)
	c.written(ctx, t.ep, item.Value)
	return resp, st
}

// exists answers a create of an object that is there.
func (t *task) exists(r *Record, name string) *Status {
	st := alreadyExists(t.ep.what(), name)
	if meta(t.body, "name") == "" {
		st.Message += ", the server was not able to generate a unique name for the object"
		st.Details.RetryAfterSeconds = 1
	}
	if hasMeta(r.object.Value, "deletionTimestamp") {
		st.Message = "object is being deleted: " + st.Message
	}
	return st
}

// errDeleted says that an update took the last finalizer away.
var errDeleted = errors.New("the last finalizer is gone")

// update answers update and patch.
func (c *Cluster) update(ctx context.Context, t *task) (*Response, *Status) {
	key := t.ep.key(t.Request.Namespace, t.Request.Name)
	var out outcome
	bare := false
	try := func(current store.Item[*Record]) (*Record, error) {
		var live fieldmanager.Object
		if current.Revision != 0 {
			var st *Status
			if live, t.basis, st = c.open(t.ep.kind, current); st != nil {
				return nil, st
			}
		}
		var st *Status
		if current.Revision == 0 && t.mayCreate() {
			if st = c.checkNamespace(ctx, t, t.Request.Name); st != nil {
				return nil, st
			}
		}
		if out, st = t.change(live); st == nil && out.created {
			st = c.terminatingCRD(t.ep, t.Request.Name)
		}
		if st != nil {
			return nil, st
		}
		if out.deleted {
			return nil, errDeleted
		}
		record, st := t.changed(live, out.object, current.Value)
		if st != nil {
			return nil, st
		}
		if bare {
			record = record.withoutManagers()
		}
		return record, nil
	}
	if t.dryRun() {
		return c.rehearse(ctx, t, key, try, &out)
	}
	item, err := c.store.Update(ctx, key, store.UpdateOptions{CreateMissing: t.mayCreate()}, try)
	if errors.Is(err, store.ErrTooLarge) && t.Format != ApplyPatch {
		bare = true // an apply without managers would mean something else
		item, err = c.store.Update(ctx, key, store.UpdateOptions{CreateMissing: t.mayCreate()}, try)
	}
	if errors.Is(err, errDeleted) {
		return c.finalized(ctx, t, key, out)
	}
	if err != nil {
		return nil, c.storeStatus(t.ep, t.Request.Name, err).warning(out.warnings)
	}
	resp, st := t.answer(out, item)
	c.written(ctx, t.ep, item.Value)
	return resp, st
}

// changed returns the record to store: the current one where nothing changes. The
// API server compares both with what is stored and with the live object as it
// would be stored now, which is another where reading it fills in or drops a part.
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
	if current.complete.Load() == t.ep.kind { // it would be stored as it is
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

// rehearse answers a write with dryRun: everything happens but the storing.
func (c *Cluster) rehearse(ctx context.Context, t *task, key string, try store.UpdateFunc[*Record], out *outcome) (*Response, *Status) {
	current, err := c.store.Get(ctx, key, store.GetOptions{})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, c.storeStatus(t.ep, t.Request.Name, err)
	}
	record, err := try(current)
	if err != nil && !errors.Is(err, errDeleted) {
		return nil, c.storeStatus(t.ep, t.Request.Name, err)
	}
	object := out.object
	if record != nil {
		object = record.object
		if current.Revision != 0 {
			object = versioned(object, current.Revision)
		}
	}
	return t.respond(*out, object)
}

// finalized deletes an object whose last finalizer an update took away. The
// answer is the object as the update made it, with the version it had.
func (c *Cluster) finalized(ctx context.Context, t *task, key string, out outcome) (*Response, *Status) {
	uid := meta(out.object.Value, "uid") // another may have the name by now
	item, err := c.store.Delete(ctx, key, store.DeleteOptions[*Record]{Preconditions: store.Preconditions{UID: &uid}})
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrPrecondition) {
		return nil, c.storeStatus(t.ep, t.Request.Name, err)
	}
	if err == nil {
		c.removed(ctx, t.ep, item.Value)
	}
	return t.respond(out, out.object)
}

// answer returns the response to a write for the item that was stored.
func (t *task) answer(out outcome, item store.Item[*Record]) (*Response, *Status) {
	k, r := t.ep.kind, item.Value
	stored := versioned(r.object, item.Revision)
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

// respond returns the response to a write for the object as it is to be stored.
func (t *task) respond(out outcome, object fieldmanager.Object) (*Response, *Status) {
	object, st := t.readUpdate(t.ep.kind, object, t.basis)
	if st != nil {
		return nil, st
	}
	return t.respondWith(out, object)
}

// respondWith returns the response to a write for the object as it is read from storage.
func (t *task) respondWith(out outcome, object fieldmanager.Object) (*Response, *Status) {
	resp := &Response{Code: 200, Warnings: append(t.warnings, out.warnings...)}
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

// deleteCollection deletes the objects one by one. As in kube-apiserver, those that were
// deleted before a failure stay deleted.
func (c *Cluster) deleteCollection(ctx context.Context, r *Request, ep *endpoint) (*Response, *Status) {
	s, st := c.selection(r, ep)
	if st != nil {
		return nil, st
	}
	d, st := c.newDeletion(r, ep)
	if st != nil {
		return nil, st
	}
	page, st := c.page(ctx, r, ep, s)
	if st != nil {
		return nil, st
	}
	var items document.ListBuilder
	for _, item := range page.Items {
		shown, st := c.show(ep.kind, versioned(item.Value.object, item.Revision))
		if st != nil {
			return nil, st
		}
		name := meta(item.Value.object.Value, "name")
		if _, st := d.one(ctx, r.Namespace, name, false); st != nil && st.Reason != ReasonNotFound {
			return nil, st
		}
		if ep.kind.Builtin {
			shown = shown.Without("kind").Without("apiVersion")
		}
		items.Append(shown)
	}
	return &Response{Code: 200, Object: listOf(ep, listMetadata(ep, page), items.List())}, nil
}
