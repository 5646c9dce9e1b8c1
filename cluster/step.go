package cluster

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Step answers one write like [Pipeline.Step], with a new pipeline. For several writes it is
// faster to create a Pipeline once.
func Step(config Config, live document.Value, r *Request) (*Response, error) {
	p, err := NewPipeline(config)
	if err != nil {
		return nil, err
	}
	object, err := fieldmanager.Split(live)
	if err != nil {
		return nil, fmt.Errorf("live object: %w", err)
	}
	return p.Step(nil, object, r)
}

// A Pipeline answers creates, updates and patches of single objects that the caller holds,
// without a store. [NewPipeline] returns one; a zero Pipeline is not usable. It caches what it prepares
// for each kind, and is safe for concurrent use.
type Pipeline struct{ pipeline *pipeline }

// NewPipeline returns a pipeline. It ignores config.Store and config.BookmarkInterval. It
// fails if config.Version is not supported.
func NewPipeline(config Config) (*Pipeline, error) {
	p, err := newPipeline(config)
	if err != nil {
		return nil, err
	}
	return &Pipeline{p}, nil
}

// Pipeline returns a pipeline with the cluster's configuration. Its writes pass the cluster's
// Admission, with the policies and webhooks in the cluster, but the caller holds the objects,
// and the cluster stores none of them.
func (c *Cluster) Pipeline() *Pipeline { return &Pipeline{c.pipeline} }

// Kinds returns the kinds that the pipeline serves.
func (p *Pipeline) Kinds() *schema.Registry { return p.pipeline.kinds }

// Normalize returns an object of a built-in kind as the API server would return it once it is
// stored: with defaults, without unknown fields, and with the empty fields that the Go types
// encode. A Job without a uid gets one, which its selector and labels refer to. unknown are the
// paths of the fields that were dropped, which another version of Kubernetes may have. An
// object that cannot be decoded is returned unchanged, and so is a custom resource. An object
// that an API server of this version returned does not change.
func (p *Pipeline) Normalize(kind *schema.Kind, o fieldmanager.Object) (normal fieldmanager.Object, unknown []document.Path) {
	if !kind.Builtin || o.Value.Get("apiVersion").StringOr("") != kind.APIVersion() {
		return o, nil
	}
	decoded, problems, err := defaults.Decode(kind, o.Value, defaults.FromTree)
	if err != nil {
		return o, nil
	}
	for _, problem := range problems {
		unknown = append(unknown, problem.Path)
	}
	filled, err := p.pipeline.fill(kind, decoded)
	if err != nil {
		return o, nil
	}
	o.Value = p.pipeline.rules.PrepareForRead(kind, filled, p.pipeline.config.UID)
	return o, unknown
}

// Finalizes reports whether a write that changes an object from live to next completes its deletion:
// the object has a deletionTimestamp and no finalizers are left. The API server then deletes it.
func (p *Pipeline) Finalizes(kind *schema.Kind, live, next document.Value) bool {
	return lastFinalizerGone(kinds.For(kind), live, next)
}

// Manager returns the field manager of a kind or of its subresource ("" for the object
// itself), configured as in the API server. It fails if the kind has no such subresource.
func (p *Pipeline) Manager(kind *schema.Kind, subresource string) (*fieldmanager.Manager, error) {
	r := &Request{Verb: Patch, Name: "any", Subresource: subresource}
	if kind.Namespaced {
		r.Namespace = "any"
	}
	ep, st := p.pipeline.endpoint(kind, r)
	if st != nil {
		return nil, st
	}
	return p.pipeline.fieldManager(ep)
}

// Step answers a create, update or patch with the response that [Cluster.Do] gives with
// dryRun=All in a cluster that holds only live. live is the zero Object if the object does not
// exist. It is neither changed nor validated, but gets the defaults of an object that is read
// from a store. The response keeps live's resourceVersion.
//
// kind is the kind of the object; the pipeline need not serve it. If it is nil, the request's
// Group, Version and Resource determine it; otherwise these are ignored. A non-nil error is a
// [*Status].
func (p *Pipeline) Step(kind *schema.Kind, live fieldmanager.Object, r *Request) (*Response, error) {
	var ep *endpoint
	var st *Status
	if kind != nil {
		ep, st = p.pipeline.endpoint(kind, r)
	} else {
		ep, st = p.pipeline.resolve(r)
	}
	if st != nil {
		return nil, st
	}
	response, st := ep.warned(p.pipeline.step(ep, live, r))
	if st != nil {
		return nil, st
	}
	return response, nil
}

func (p *pipeline) step(ep *endpoint, live fieldmanager.Object, r *Request) (*Response, *Status) {
	t, st := p.begin(r, ep)
	if st != nil {
		return nil, st
	}
	exists := live.Value.Exists()
	unversioned := exists && meta(live.Value, "resourceVersion") == ""
	if exists {
		if unversioned {
			live = versioned(live, 1)
		}
		if live, t.basis, st = p.readAs(ep.kind, live, nil, basis{}); st != nil {
			return nil, st
		}
	}
	var out outcome
	switch {
	case r.Verb == Create && exists:
		return nil, t.exists(recordOf(live, document.Value{}), meta(live.Value, "name"), t.body)
	case r.Verb == Create:
		out, st = t.create()
	case r.Verb == Update || r.Verb == Patch:
		out, st = t.change(live)
	default:
		st = wrongMethod(ep, r)
	}
	if st != nil {
		return nil, st.warning(t.warnings)
	}
	return t.stepResponse(live, out, unversioned)
}

// stepResponse returns the response with the object as it would be read back from a store.
func (t *task) stepResponse(live fieldmanager.Object, out outcome, unversioned bool) (*Response, *Status) {
	record, st := t.stored(t.ep.kind, out.object, t.basis)
	if st != nil {
		return nil, st
	}
	object := record.tree()
	if !unversioned {
		object.Value = keepMeta(object.Value, live.Value, "resourceVersion")
	}
	response, st := t.respond(out, object)
	if st != nil {
		return nil, st
	}
	if unversioned {
		live.Value = live.Value.Remove("metadata", "resourceVersion")
	}
	response.Before = live
	return response, nil
}
