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

// Start returns the time of a scenario's first step, unless the initial objects have a later
// time; the first step is then one minute after that. Each further step is a minute later.
func Start() time.Time { return time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC) }

// Result is the result of a step.
type Result struct {
	// Target is the object of the step, with defaulted fields.
	Target Target
	// Kind is the target's kind; nil if it is unknown.
	Kind *schema.Kind
	// Before and After are the object before and after the step; absent if it does not
	// exist. A failed step does not change it.
	Before, After fieldmanager.Object
	// Code is the HTTP status code, or 0 if the request could not be built.
	Code     int
	Warnings []string
	// Err is the error of a failed step: a *cluster.Status, which may wrap a
	// *fieldmanager.Conflicts, or an error in the step's body.
	Err error
	// Config is the parsed body; absent if it is invalid. Body is the document with the
	// positions in the text; nil if there is none.
	Config document.Value
	Body   *document.Document
	// Denied reports whether an admission policy or a CEL rule refused the step.
	Denied bool
	// kinds are those served at the time of the step.
	kinds *schema.Registry
	// sent is the request for the change; nil if there is none. at is the time of the step.
	sent *cluster.Request
	at   time.Time
}

// Conflicts returns the conflicts of a failed step; nil if there are none.
func (r *Result) Conflicts() []fieldmanager.Conflict {
	var c *fieldmanager.Conflicts
	if !errors.As(r.Err, &c) {
		return nil
	}
	return c.List
}

// Reason returns the reason of the Status, such as Conflict or Invalid; "" if the step
// succeeded or the Status has none.
func (r *Result) Reason() string { return r.status().Reason }

// Run runs all steps, continuing after failed ones. An error means that the scenario cannot
// be run at all: a definition or version is invalid.
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

// Runner runs steps one by one on its own cluster. [Scenario.Begin] and [NewRunner] return one; a zero
// Runner is not usable. It is not safe for concurrent use.
type Runner struct {
	cluster *cluster.Cluster
	store   *store.Memory[*cluster.Record]
	version string
	// trial replaces the cluster as the target of requests unless it is nil.
	trial *fieldmanager.Object
	// notes records decisions unless it is nil.
	notes *explain.Notes
	now   time.Time
	uids  int
	last  Target
	seen  *seen
	// configure adds rules and policies to the cluster unless it is nil; denied is set if
	// one of them refused the current request.
	configure func(*cluster.Config) error
	denied    bool
	// rules and policies are set if the cluster evaluates rules and policies.
	rules, policies bool
	// definitions caches the parsed definitions and is shared with forks.
	definitions *cluster.DefinitionCache
	// existing holds the initial objects.
	existing []Existing
}

// seen caches the object after the previous step.
type seen struct {
	target Target
	object fieldmanager.Object
}

// Begin returns a runner before its first step, with a cluster that has a scenario's
// definitions and initial objects. configure extends the cluster's configuration by
// features that this package does not link: admission.Configure adds CEL rules and
// policies. It may be nil. An error names the definition or object that is invalid.
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

// Existing returns the initial objects.
func (r *Runner) Existing() []Existing { return r.existing }

// Manager returns the field manager of a kind that the runner's cluster serves.
func (r *Runner) Manager(kind *schema.Kind) (*fieldmanager.Manager, error) {
	return fieldmanager.For(r.cluster.Kinds(), kind, "")
}

// NewRunner returns a runner over an empty cluster of a Kubernetes version ("" is
// schema.DefaultVersion) with custom resources. configure is that of [Scenario.Begin].
func NewRunner(ctx context.Context, version string, definitions []string, configure func(*cluster.Config) error) (*Runner, error) {
	r, err := newRunner(version, configure)
	if err != nil {
		return nil, err
	}
	return r, r.define(ctx, definitions)
}

func newRunner(version string, configure func(*cluster.Config) error) (*Runner, error) {
	r := &Runner{now: Start().Add(-time.Minute), version: version, configure: configure, definitions: &cluster.DefinitionCache{}}
	r.store = store.NewMemory(store.MemoryOptions[*cluster.Record]{Equal: cluster.Equal, UID: (*cluster.Record).UID})
	return r, r.open()
}

// open creates the cluster over the runner's store.
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

// Fork returns an independent copy of the runner and its cluster in their current state.
func (r *Runner) Fork() (*Runner, error) {
	fork := *r
	fork.store = r.store.Fork()
	return &fork, fork.open()
}

// config returns the configuration of a cluster with the runner's clock and uids.
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
	c.Conversion = nil // a scenario never calls conversion webhooks
	r.rules, r.policies = c.Rules != nil, c.Admission != nil
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
			res.Code, res.Warnings = status.Code, status.Warnings
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

// Try returns the result of applying a step other than a deletion to live, which may be
// absent. Nothing is stored, and later steps are not affected.
func (r *Runner) Try(ctx context.Context, s *Step, live fieldmanager.Object) Result {
	other := *r
	other.trial = &live
	return other.Step(ctx, s)
}

// readBody parses a step's body; nil if it has none.
func readBody(s *Step) (*document.Document, error) {
	if s.Body == "" && s.Do == Delete {
		return nil, nil
	}
	docs, err := document.Read([]byte(s.Body), document.Options{})
	if err != nil {
		return nil, err
	}
	switch len(docs) {
	case 0:
		return nil, &Error{Reason: "the step has no body; write or paste a manifest or a patch"}
	case 1:
		return docs[0], nil
	default:
		return nil, &Error{Reason: fmt.Sprintf("a step's body must be a single document, found %d: put each into a step of its own", len(docs))}
	}
}

// target completes the target of a step.
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
		return t, nil, &Error{Reason: "the step has no target: neither its body nor a previous step has apiVersion and kind"}
	}
	k, ok := r.cluster.Kinds().Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: t.Kind})
	if !ok {
		return t, nil, &Error{Reason: fmt.Sprintf("no kind %q is registered for version %q; a custom resource requires its CustomResourceDefinition", t.Kind, t.APIVersion)}
	}
	switch {
	case !k.Namespaced:
		t.Namespace = ""
	case t.Namespace == "":
		t.Namespace = "default"
	}
	return t, k, nil
}

// request returns a request for the step's object.
func (r *Runner) request(verb cluster.Verb, res *Result) *cluster.Request {
	k := res.Kind
	return &cluster.Request{Verb: verb, Group: k.Group, Version: k.Version, Resource: k.Resource, Namespace: res.Target.Namespace, Name: res.Target.Name}
}

// object reads the step's object; the result is the zero Object if it does not exist.
func (r *Runner) object(ctx context.Context, res *Result) (fieldmanager.Object, error) {
	if r.trial != nil {
		return *r.trial, nil
	}
	if res.Target.Name == "" {
		return fieldmanager.Object{}, nil
	}
	reading, err := r.cluster.Read(ctx, r.request(cluster.Get, res))
	var status *cluster.Status
	if errors.As(err, &status) && status.Code == 404 {
		return fieldmanager.Object{}, nil
	}
	if err != nil {
		return fieldmanager.Object{}, err
	}
	return reading.Object.Object(), nil
}
