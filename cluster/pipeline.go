package cluster

import (
	"context"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/bounded"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// pipeline is what a write needs besides the store, such as kinds, defaults and a clock. It is
// safe for concurrent use.
type pipeline struct {
	config Config
	kinds  *schema.Registry
	// rules are the defaults of built-in kinds; nil without defaulting.
	rules *defaults.Rules
	// metadata is a kind with no fields but metadata, for decoding the metadata of custom
	// resources. It is nil in a registry without a catalog.
	metadata *schema.Kind
	// deleteOptions is the kind of a body that deletes; nil in a registry without a catalog.
	deleteOptions *schema.Kind
	// addresses allocates cluster IPs and node ports; nil if they are not allocated.
	addresses *addresses
	// readNamespace returns a Namespace, absent if it does not exist. It is nil in a pipeline
	// without a store.
	readNamespace func(ctx context.Context, name string) (document.Value, error)
	// admission is the admission chain; nil admits every write.
	admission Admission

	// strategies caches *kinds.Strategy by *schema.Kind, managers caches *fieldmanager.Manager by
	// managerKey, and amounts caches []amountList by *schema.Kind.
	strategies, managers, amounts bounded.Map
}

type managerKey struct {
	kind *schema.Kind
	sub  string
}

func newPipeline(config Config) (*pipeline, error) {
	p := &pipeline{config: config.withDefaults(), kinds: config.Kinds}
	if p.kinds == nil {
		catalog, err := schema.Builtin(config.Version)
		if err != nil {
			return nil, err
		}
		p.kinds = schema.NewRegistry(catalog)
	}
	p.metadata, p.deleteOptions = metadataKind(p.kinds.Catalog()), optionsKind(p.kinds.Catalog())
	if config.NoDefaults {
		return p, nil
	}
	var err error
	p.rules, err = defaults.For(p.kinds.Catalog().Version())
	return p, err
}

func (p *pipeline) strategy(k *schema.Kind) *kinds.Strategy {
	if s, ok := p.strategies.Load(k); ok {
		return s.(*kinds.Strategy)
	}
	return p.strategies.LoadOrStore(k, kinds.For(k)).(*kinds.Strategy)
}

// forgetKinds drops what was derived from kinds, after some of them have been replaced or removed.
func (p *pipeline) forgetKinds() {
	p.strategies.Clear()
	p.managers.Clear()
}

// task is the processing of one write. A store may call it several times, each time with a
// newer live object.
type task struct {
	*pipeline
	*Request
	ep  *endpoint
	now time.Time
	// ctx is the context of the request, for admission and webhooks.
	ctx context.Context
	// body is the decoded object of a create or update, with the managedFields
	// that the client sent.
	body document.Value
	// unversioned reports that the body of a create or update has no apiVersion.
	unversioned bool
	// patch is the parsed patch or apply configuration, nil until it is needed.
	patch *patchBody
	// received are the stages of the body, if the request has notes.
	received []passedStage

	progress
}

// progress is what the steps of a task have established for later steps and for the response.
type progress struct {
	// basis is the live object of this attempt.
	basis basis
	// empties reports whether the written object has an empty list or map that increments the
	// generation, see writesEmpty.
	empties bool
	// written is the written object before decoding dropped empty lists and maps of it, absent
	// if there were none.
	written document.Value
	// mutated reports whether admission changed the object in this attempt, and encoded whether
	// it changed an encoding of the object.
	mutated, encoded bool
	// allotment allocates addresses in this attempt; nil if the cluster does not, and for objects
	// that have none.
	allotment *allotment
	// valid reports whether the next state passes validation even without ratcheting.
	valid bool
	// warnings are those of the request, of which early were found before the first attempt, and
	// of the last attempt.
	warnings []string
	early    int
	// problems are the unknown fields and duplicate keys that are warned of.
	problems []Problem
}

// outcome is the result of an attempt.
type outcome struct {
	object fieldmanager.Object
	// created reports that there was no live object.
	created bool
	// deleted reports that the write removed the last finalizer of an object that was being
	// deleted.
	deleted bool
}

func (p *pipeline) newTask(r *Request, ep *endpoint) *task {
	return &task{pipeline: p, Request: r, ep: ep, now: p.config.Now(), ctx: context.Background()}
}

// empty returns the object that a create starts from.
func empty(k *schema.Kind) document.Value {
	var b document.ObjectBuilder
	b.Set("apiVersion", document.NewString(k.APIVersion()))
	b.Set("kind", document.NewString(k.Kind))
	return b.Object()
}

// zeroObject returns the JSON form of the kind's zero value, as the API server encodes it.
func (p *pipeline) zeroObject(k *schema.Kind) document.Value {
	object := empty(k)
	if k.Builtin {
		for _, path := range p.strategy(k).ZeroNumbers {
			object = object.Set(document.NewInt(0), strings.Split(path, ".")...)
		}
		if zero, _, err := p.decode(k, object, defaults.FromTree); err == nil {
			return zero
		}
	}
	return object
}

// metadataKind returns a kind whose objects have only metadata. Its group is one that the API
// server stores as JSON, which is how it stores custom resources.
func metadataKind(c *schema.Catalog) *schema.Kind {
	t, ok := c.Named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	if !ok {
		return nil
	}
	return storedAsText("PartialObjectMetadata", &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "metadata", Type: t, Go: schema.GoOmitEmpty}}}})
}

// optionsKind returns the kind DeleteOptions.
func optionsKind(c *schema.Catalog) *schema.Kind {
	t, ok := c.Named("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")
	if !ok {
		return nil
	}
	return storedAsText("DeleteOptions", t)
}

// storedAsText returns a kind of a group whose objects are stored as JSON.
func storedAsText(kind string, t *schema.Type) *schema.Kind {
	k := schema.NewKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: kind}, t)
	k.Builtin = true
	return k
}
