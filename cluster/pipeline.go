package cluster

import (
	"context"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// pipeline is what writes need besides the store: kinds, rules, a clock. It is
// safe for concurrent use.
type pipeline struct {
	config Config
	kinds  *schema.Registry
	// rules are the defaults of built-in kinds, nil for none.
	rules *defaults.Rules
	// metadata is a kind that is nothing but metadata: what decoding the metadata
	// of custom resources goes by. nil in a registry without a catalog.
	metadata *schema.Kind
	// addresses are given to Services, nil for none.
	addresses *addresses
	// namespace returns a namespace, absent where it does not exist; nil where no
	// other objects are known.
	namespace func(name string) document.Value
	// admission changes and refuses writes, nil for none.
	admission Admission

	// known holds *kinds.Strategy by *schema.Kind, managers *fieldmanager.Manager by
	// managerKey. Both only save work.
	known, managers sync.Map
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
	if c := p.kinds.Catalog(); c != nil {
		p.metadata = metadataKind(c)
		if !config.NoDefaults {
			rules, err := defaults.For(c.Version())
			if err != nil {
				return nil, err
			}
			p.rules = rules
		}
	}
	return p, nil
}

func (p *pipeline) strategy(k *schema.Kind) *kinds.Strategy {
	if f, ok := p.known.Load(k); ok {
		return f.(*kinds.Strategy)
	}
	f, _ := p.known.LoadOrStore(k, kinds.For(k))
	return f.(*kinds.Strategy)
}

// task is one write on its way through the pipeline. A store may ask it for its
// result several times, with newer live objects.
type task struct {
	*pipeline
	*Request
	ep  *endpoint
	now time.Time
	// ctx is that of the request, for admission and what it calls.
	ctx context.Context
	// mutated reports whether admission changed the object in this attempt.
	mutated bool
	// body is the decoded object of a create or update, with the managedFields
	// that the client sent.
	body document.Value
	// patch is the decoded patch or configuration, once it was needed.
	patch *patchBody
	// basis is the live object of this attempt; joined is the same with its
	// managedFields, absent if decoding changes it.
	basis  basis
	joined document.Value
	// valid reports whether nothing is wrong with the next state, not even what it may
	// keep from the live object.
	valid bool
	// received are the stages that the body went through, where they are noted.
	received []passedStage
	// warnings of the whole request; those of an attempt come in its outcome.
	warnings []string
}

// outcome is what a task makes of a live object.
type outcome struct {
	object fieldmanager.Object
	// created says that there was no live object.
	created bool
	// deleted says that the write took away the last thing that kept an object
	// that was being deleted.
	deleted  bool
	warnings []string
}

func (p *pipeline) newTask(r *Request, ep *endpoint) *task {
	return &task{pipeline: p, Request: r, ep: ep, now: p.config.Now(), ctx: context.Background()}
}

// empty is the object that a create begins with.
func empty(k *schema.Kind) document.Value {
	var b document.ObjectBuilder
	b.Set("apiVersion", document.NewString(k.APIVersion()))
	b.Set("kind", document.NewString(k.Kind))
	return b.Object()
}

// nothing is an object of a kind that says nothing, as the API server prints it.
func (p *pipeline) nothing(k *schema.Kind) document.Value {
	object := empty(k)
	if k.Builtin {
		if zero, _, err := p.decode(k, object, defaults.FromTree); err == nil {
			return zero
		}
	}
	return object
}

// metadataKind returns a kind whose objects have only metadata. Its group is one
// of those that the API server stores as JSON, as it does custom resources.
func metadataKind(c *schema.Catalog) *schema.Kind {
	t, ok := c.Named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	if !ok {
		return nil
	}
	k := schema.NewKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "PartialObjectMetadata"},
		&schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "metadata", Type: t, Go: schema.GoOmitEmpty}}}})
	k.Builtin = true
	return k
}
