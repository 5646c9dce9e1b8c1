package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// Start is the time of a scenario's first step, or a minute after the latest time in
// the objects that it begins with if that is later; each step is a minute later.
var Start = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// Result is what became of a step.
type Result struct {
	// Target is the object that the step was for, with all that was filled in.
	Target Target
	// Kind is the target's kind, nil where there is none such.
	Kind *schema.Kind
	// Before and After are the object, absent where there was none. A step that
	// fails leaves it as it was.
	Before, After fieldmanager.Object
	// Code is the HTTP status code that the API server answers with, 0 where
	// the request could not be made up.
	Code     int
	Warnings []string
	// Err says why the step failed: a *cluster.Status, which may hold
	// *fieldmanager.Conflicts, or an error in the step's body; nil where it did
	// not fail.
	Err error
	// Config is the body as it was read, absent where it could not be. Body
	// knows where its parts stand in the text; nil where there is none.
	Config document.Value
	Body   *document.Document
	// Denied says that an admission policy or a CEL rule refused the step.
	Denied bool
	// kinds are those that the cluster served at the step.
	kinds *schema.Registry
	// sent is the request that changed the object or was to do so, nil for none; at is
	// the time of the step.
	sent *cluster.Request
	at   time.Time
}

// Conflicts returns the conflicts that a step failed for, nil for none.
func (r *Result) Conflicts() []fieldmanager.Conflict {
	var c *fieldmanager.Conflicts
	if !errors.As(r.Err, &c) {
		return nil
	}
	return c.List
}

// Reason returns the reason of the refusal, such as Conflict or Invalid, "" where the
// step did not fail or the API server gives none.
func (r *Result) Reason() string { return r.status().Reason }

// Run runs all steps, also those after one that fails. An error says that the
// scenario cannot be run at all: a definition or version that is none.
func Run(ctx context.Context, s *Scenario) ([]Result, error) {
	r, err := s.Begin(ctx, nil)
	if err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(s.Steps))
	for i := range s.Steps {
		if err := ctx.Err(); err != nil {
			return results, err
		}
		results = append(results, r.Step(ctx, &s.Steps[i]))
	}
	return results, nil
}

// Runner runs steps one by one on a cluster of its own. It is for one goroutine
// at a time.
type Runner struct {
	cluster *cluster.Cluster
	store   *store.Memory[*cluster.Record]
	version string
	// trial is the object that requests go to in place of the cluster, nil for none.
	trial *fieldmanager.Object
	// notes are told what is decided, nil for none.
	notes *explain.Notes
	now   time.Time
	uids  int
	last  Target
	seen  *seen
	// configure adds rules and policies to the cluster, nil for none; denied says that
	// one of them has refused the request that is being answered.
	configure func(*cluster.Config) error
	denied    bool
	// definitions keeps what the definitions were read as, for forks too.
	definitions *cluster.DefinitionCache
	// existing are the objects that the cluster began with.
	existing []Existing
}

// seen is an object as the step before left it, which saves reading it again.
type seen struct {
	target Target
	object fieldmanager.Object
}

// Begin returns a runner over a cluster with a scenario's definitions and objects,
// before its first step. configure may add to the cluster's configuration what this
// package does not link: admission.Configure adds CEL rules and policies. nil adds
// nothing. An error says which definition or object cannot be used.
func (s *Scenario) Begin(ctx context.Context, configure func(*cluster.Config) error) (*Runner, error) {
	r, err := newRunner(s.Kubernetes, configure)
	if err != nil {
		return nil, err
	}
	if err := r.define(ctx, s.Definitions); err != nil {
		return nil, err
	}
	for i, text := range s.Objects {
		if _, err := r.Load(ctx, text); err != nil {
			return nil, fmt.Errorf("object %d: %w", i+1, err)
		}
	}
	return r, nil
}

// Existing returns the objects that the cluster began with.
func (r *Runner) Existing() []Existing { return r.existing }

// NewRunner returns a runner over an empty cluster of a Kubernetes version ("" is
// the newest) with custom resources.
func NewRunner(ctx context.Context, version string, definitions []string) (*Runner, error) {
	r, err := newRunner(version, nil)
	if err != nil {
		return nil, err
	}
	return r, r.define(ctx, definitions)
}

func newRunner(version string, configure func(*cluster.Config) error) (*Runner, error) {
	r := &Runner{now: Start.Add(-time.Minute), version: version, configure: configure, definitions: &cluster.DefinitionCache{}}
	r.store = store.NewMemory(store.MemoryOptions[*cluster.Record]{Equal: cluster.Equal, UID: (*cluster.Record).UID})
	return r, r.open()
}

// open makes the cluster over the runner's store.
func (r *Runner) open() error {
	config, err := r.config()
	if err == nil {
		r.cluster, err = cluster.New(config)
	}
	return err
}

func (r *Runner) define(ctx context.Context, definitions []string) error {
	for i, text := range definitions {
		if err := r.Define(ctx, text); err != nil {
			return fmt.Errorf("definition %d: %w", i+1, err)
		}
	}
	return nil
}

// Fork returns a runner that goes on from where r is, on a cluster of its own: what
// either does from now on the other does not see.
func (r *Runner) Fork() (*Runner, error) {
	fork := *r
	fork.store = r.store.Fork()
	return &fork, fork.open()
}

// config is that of a cluster whose clock and ids are the runner's.
func (r *Runner) config() (cluster.Config, error) {
	c := cluster.Config{
		Version: r.version, Definitions: r.definitions,
		Store:  r.store,
		Now:    func() time.Time { return r.now },
		UID:    r.uid,
		Suffix: func() string { r.uids++; return fmt.Sprintf("x%04d", r.uids) },
	}
	if r.configure == nil {
		return c, nil
	}
	if err := r.configure(&c); err != nil {
		return c, err
	}
	c.Conversion = nil // a scenario sends nothing to other servers
	r.watch(&c)
	return c, nil
}

func (r *Runner) uid() string {
	r.uids++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", r.uids)
}

// Step runs one step.
func (r *Runner) Step(ctx context.Context, s *Step) Result {
	r.now = r.now.Add(time.Minute)
	res := Result{kinds: r.cluster.Kinds(), at: r.now}
	d, err := readBody(s)
	if err != nil {
		res.Err = err
		return res
	}
	if d != nil {
		res.Config, res.Body = d.Root, d
	}
	if res.Target, res.Kind, err = r.target(s, res.Config); err != nil {
		res.Err = err
		return res
	}
	r.last = res.Target
	if r.seen != nil && r.trial == nil && r.seen.target == res.Target {
		res.Before = r.seen.object
	} else if res.Before, err = r.object(ctx, &res); err != nil {
		res.Err = err
		return res
	}
	r.seen, r.denied = nil, false
	if err := r.send(ctx, s, &res); err != nil {
		res.Err, res.Denied = err, r.denied
		var status *cluster.Status
		if errors.As(err, &status) {
			res.Code = status.Code
		}
	}
	if res.After, err = r.object(ctx, &res); err != nil && res.Err == nil {
		res.Err = err
	}
	if err == nil && r.trial == nil {
		r.seen = &seen{res.Target, res.After}
	}
	return res
}

// Try tells what would become of a step (any but a deletion) that meets the
// object given, absent for none. Nothing is stored, and the steps to come do not
// see it.
func (r *Runner) Try(ctx context.Context, s *Step, live fieldmanager.Object) Result {
	other := *r
	other.trial = &live
	return other.Step(ctx, s)
}

// readBody parses a step's body, nil where it has none.
func readBody(s *Step) (*document.Document, error) {
	if s.Body == "" && s.Do == Delete {
		return nil, nil
	}
	docs, err := document.Read([]byte(s.Body), document.Options{})
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, &Error{Reason: fmt.Sprintf("a step's body holds one document, this holds %d", len(docs))}
	}
	return docs[0], nil
}

// target fills in what a step does not say of its object.
func (r *Runner) target(s *Step, body document.Value) (Target, *schema.Kind, error) {
	t := s.Target
	named := body.Get("apiVersion").Exists() && body.Get("kind").Exists()
	fill := func(into *string, field document.Value, last string) {
		if *into == "" {
			*into = field.StringOr("")
		}
		if *into == "" && !named {
			*into = last
		}
	}
	kind := t.Kind
	if s.Subresource == "scale" && named { // the body is a Scale
		body, named = document.Value{}, false
	}
	fill(&t.APIVersion, body.Get("apiVersion"), r.last.APIVersion)
	fill(&t.Kind, body.Get("kind"), r.last.Kind)
	fill(&t.Name, body.Lookup("metadata", "name"), r.last.Name)
	if kind == "" {
		fill(&t.Namespace, body.Lookup("metadata", "namespace"), r.last.Namespace)
	}
	group, version, ok := schema.SplitAPIVersion(t.APIVersion)
	if !ok || t.APIVersion == "" || t.Kind == "" {
		return t, nil, &Error{Reason: "the step names no object: its body has no apiVersion and kind, and no step before it has"}
	}
	k, ok := r.cluster.Kinds().Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: t.Kind})
	if !ok {
		return t, nil, &Error{Reason: fmt.Sprintf("there is no kind %s in %s; a custom kind needs its CustomResourceDefinition", t.Kind, t.APIVersion)}
	}
	switch {
	case !k.Namespaced:
		t.Namespace = ""
	case t.Namespace == "":
		t.Namespace = "default"
	}
	return t, k, nil
}

// request is a request for the step's object.
func (r *Runner) request(verb cluster.Verb, res *Result) *cluster.Request {
	k := res.Kind
	return &cluster.Request{Verb: verb, Group: k.Group, Version: k.Version, Resource: k.Resource, Namespace: res.Target.Namespace, Name: res.Target.Name}
}

// object reads the step's object, the zero Object where there is none.
func (r *Runner) object(ctx context.Context, res *Result) (fieldmanager.Object, error) {
	if r.trial != nil {
		return *r.trial, nil
	}
	if res.Target.Name == "" {
		return fieldmanager.Object{}, nil
	}
	resp, err := r.cluster.Do(ctx, r.request(cluster.Get, res))
	var status *cluster.Status
	if errors.As(err, &status) && status.Code == 404 {
		return fieldmanager.Object{}, nil
	}
	if err != nil {
		return fieldmanager.Object{}, err
	}
	return fieldmanager.Split(resp.Object)
}
