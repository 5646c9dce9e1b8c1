package scenario

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Change is a change by an actor of a race: the actor reads the object, modifies it and
// writes it.
type Change struct {
	Actor string
	// Set is a merge patch (RFC 7396) for the object.
	Set document.Value
	// Add lists what to add to fields.
	Add []Addition
}

// Addition is a number to add to a field, or items to add to a list.
type Addition struct {
	Path string
	// By is the number. The field may be a string, such as the data of a ConfigMap; a missing field is 0.
	By int64
	// Items, if not absent, is a list of scalars, such as finalizers, to add in place of a number: those that
	// the list does not have yet. A missing list is empty.
	Items document.Value

	text bool // the field's type is string
}

// Strategy is the way in which the actors of a race write.
type Strategy string

// The strategies.
const (
	BlindUpdate Strategy = "update"      // an update without a resourceVersion
	BlindPatch  Strategy = "merge-patch" // a merge patch of the difference to the object that was read, without its resourceVersion
	Optimistic  Strategy = "optimistic"  // an update with the resourceVersion that was read; no retry after a conflict
	Retry       Strategy = "retry"       // the same, with a new read and retry after a conflict
	TestedPatch Strategy = "json-patch"  // a JSON patch that tests the values that were read
	OwnFields   Strategy = "apply"       // server-side apply of the changed fields, without force
)

// Strategies returns all strategies.
func Strategies() []Strategy {
	return []Strategy{BlindUpdate, BlindPatch, Optimistic, Retry, TestedPatch, OwnFields}
}

// Race is an object and the actors that change it concurrently. Reads and writes are
// atomic, as in an API server; Explore varies their order. Admission is not part of a race.
type Race struct {
	pipeline *cluster.Pipeline
	kind     *schema.Kind
	target   Target
	live     fieldmanager.Object
	actors   []racer
}

// racer is an actor with its sequence of changes.
type racer struct {
	name    string
	changes []*Change
}

// NewRace runs the steps of a scenario and returns the race that starts with the resulting
// object: the object of the last step, or the only initial object. An error explains what
// cannot be run.
func NewRace(ctx context.Context, s *Scenario) (*Race, error) {
	if len(s.Race) < 2 {
		return nil, &Error{Reason: "the scenario has no race: a list of at least two changes, each with an actor and set or add"}
	}
	runner, err := s.Begin(ctx, nil)
	if err != nil {
		return nil, err
	}
	for i := range s.Steps {
		if res := runner.Step(ctx, &s.Steps[i]); res.Err != nil && s.Steps[i].Expect == nil {
			return nil, fmt.Errorf("step %d, before the race, fails: %w", i+1, res.Err)
		}
	}
	res := Result{}
	if res.Target, res.Kind, err = runner.target(&Step{}, document.Value{}); err != nil {
		return nil, &Error{Reason: "the scenario has no object for the race: add a step that creates one, or exactly one under objects"}
	}
	r := &Race{kind: res.Kind, target: res.Target}
	if r.live, err = runner.object(ctx, &res); err != nil {
		return nil, err
	}
	if !r.live.Value.Exists() {
		return nil, &Error{Reason: fmt.Sprintf("%s %s does not exist when the race begins", res.Target.Kind, res.Target.Name)}
	}
	now := runner.now.Add(time.Minute)
	config := cluster.Config{Version: s.Kubernetes, Kinds: runner.cluster.Kinds(), Now: func() time.Time { return now }, UID: func() string { return "" }}
	if r.pipeline, err = cluster.NewPipeline(config); err != nil {
		return nil, err
	}
	changes := slices.Clone(s.Race)
	for i := range changes {
		c := &changes[i]
		c.Add = slices.Clone(c.Add)
		for j := range c.Add {
			c.Add[j].text = isText(r.kind.Type(), c.Add[j].Path)
		}
		n := slices.IndexFunc(r.actors, func(a racer) bool { return a.name == c.Actor })
		if n < 0 {
			n = len(r.actors)
			r.actors = append(r.actors, racer{name: c.Actor})
		}
		r.actors[n].changes = append(r.actors[n].changes, c)
	}
	v := r.live.Value
	for i := range changes { // serially, to check that they are possible
		if v, err = changes[i].on(v); err != nil {
			return nil, fmt.Errorf("change %d of the race: %w", i+1, err)
		}
	}
	return r, nil
}

// isText reports whether the type of the field at a path is string.
func isText(t *schema.Type, path string) bool {
	p, err := document.ParsePath(path)
	if err != nil {
		return false
	}
	t = t.At(p)
	return t != nil && t.Scalar == schema.StringScalar
}

// on returns an object after the change.
func (c *Change) on(v document.Value) (document.Value, error) {
	if c.Set.Exists() {
		var err error
		if v, err = patch.Merge(v, c.Set, patch.Options{}); err != nil {
			return v, err
		}
	}
	for _, a := range c.Add {
		p, err := document.ParsePath(a.Path)
		if err != nil {
			return v, err
		}
		if a.Items.Exists() {
			if v, err = withItems(v, p, a.Items); err != nil {
				return v, err
			}
			continue
		}
		n, isText, err := number(v.Follow(p))
		if err != nil {
			return v, fmt.Errorf("%s: %w", a.Path, err)
		}
		total := n + a.By
		if (total > n) != (a.By > 0) {
			return v, fmt.Errorf("%s: %d plus %d is out of range", a.Path, n, a.By)
		}
		sum := document.NewInt(total)
		if isText || a.text && !v.Follow(p).Exists() {
			sum = document.NewString(strconv.FormatInt(total, 10))
		}
		if v, err = v.SetAt(p, sum); err != nil {
			return v, err
		}
	}
	return v, nil
}

// withItems returns an object with further items in the list at a path.
func withItems(v document.Value, p document.Path, items document.Value) (document.Value, error) {
	list := v.Follow(p)
	if list.Exists() && !list.IsNull() && list.Kind() != document.List {
		return v, fmt.Errorf("%s: items cannot be added to a %s", p, list.Kind())
	}
	var all document.ListBuilder
	for _, item := range list.Items() {
		all.Append(item)
	}
	for _, item := range items.Items() {
		if s, err := document.ValueStep(item); err != nil || !s.In(list).Exists() {
			all.Append(item)
		}
	}
	return v.SetAt(p, all.List())
}

// number parses a number or a text with a number.
func number(v document.Value) (n int64, isText bool, err error) {
	if !v.Exists() || v.IsNull() {
		return 0, false, nil
	}
	if n, ok := v.Int(); ok {
		return n, false, nil
	}
	text, ok := v.Text()
	if !ok {
		return 0, false, fmt.Errorf("a number cannot be added to a %s", v.Kind())
	}
	n, err = strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, true, fmt.Errorf("a number cannot be added to the text %q", text)
	}
	return n, true, nil
}

// fields returns the paths that the change sets, adds to or removes. With items, they are the paths of the
// items that the change adds to a list instead of the path of the list.
func (c *Change) fields(items bool) []document.Path {
	paths := leaves(nil, nil, c.Set)
	for _, a := range c.Add {
		p, err := document.ParsePath(a.Path)
		switch {
		case err != nil:
		case items && a.Items.Exists():
			for _, item := range a.Items.Items() {
				if s, err := document.ValueStep(item); err == nil {
					paths = append(paths, p.Join(s))
				}
			}
		default:
			paths = append(paths, p)
		}
	}
	return paths
}

// leaves appends the paths of the values in a merge patch.
func leaves(paths []document.Path, at document.Path, v document.Value) []document.Path {
	if v.Kind() == document.Object && v.Len() > 0 {
		for key, member := range v.Members() {
			paths = leaves(paths, at.Child(key), member)
		}
		return paths
	}
	if !v.Exists() || len(at) == 0 {
		return paths
	}
	return append(paths, at)
}

// reads reports whether an actor reads the object before a change. An apply that only sets
// fields and adds items needs no read.
func (c *Change) reads(s Strategy) bool {
	return s != OwnFields || slices.ContainsFunc(c.Add, func(a Addition) bool { return !a.Items.Exists() })
}

// write sends an actor's n-th change, based on the object it read, and returns the live
// object after it.
func (r *Race) write(s Strategy, a *racer, n int, read, live fieldmanager.Object) (fieldmanager.Object, error) {
	c := a.changes[n]
	k := r.kind
	q := &cluster.Request{Verb: cluster.Update, Group: k.Group, Version: k.Version, Resource: k.Resource, Namespace: r.target.Namespace, Name: r.target.Name,
		Options: cluster.Options{FieldManager: a.name}}
	wanted, err := c.on(read.Value)
	if err != nil {
		return live, err
	}
	body := wanted
	switch s {
	case BlindUpdate:
		body = fieldmanager.Object{Value: wanted.Remove("metadata", "resourceVersion"), Managed: read.Managed}.Join()
	case BlindPatch:
		q.Verb, q.Format = cluster.Patch, cluster.MergePatch
		if body, err = patch.CreateMerge(read.Value, wanted, patch.Options{}); err != nil {
			return live, err
		}
	case Optimistic, Retry:
		body = fieldmanager.Object{Value: wanted, Managed: read.Managed}.Join()
	case TestedPatch:
		q.Verb, q.Format, body = cluster.Patch, cluster.JSONPatch, c.tested(read.Value, wanted)
	case OwnFields:
		q.Verb, q.Format = cluster.Patch, cluster.ApplyPatch
		if body, err = a.configuration(n, read.Value, wanted); err != nil {
			return live, err
		}
	}
	q.Document = &document.Document{Root: body}
	resp, err := r.pipeline.Step(k, live, q)
	if err != nil {
		return live, err
	}
	after, err := fieldmanager.Split(resp.Object)
	if err != nil || document.Identical(after.Join(), live.Join()) {
		return live, err
	}
	version, _ := strconv.ParseInt(live.Value.Lookup("metadata", "resourceVersion").StringOr("0"), 10, 64)
	after.Value = after.Value.Set(document.NewString(strconv.FormatInt(version+1, 10)), "metadata", "resourceVersion")
	return after, nil
}

// tested returns a JSON patch that replaces the fields of the change after testing that
// they have the values that were read. Missing fields cannot be tested.
func (c *Change) tested(read, wanted document.Value) document.Value {
	var ops document.ListBuilder
	op := func(name string, path document.Path, v document.Value) {
		o := document.NewObject().With("op", document.NewString(name)).With("path", document.NewString(jsonpointer.Of(path)))
		if v.Exists() {
			o = o.With("value", v)
		}
		ops.Append(o)
	}
	for _, p := range c.fields(false) {
		old, next := read.Follow(p), wanted.Follow(p)
		if old.Exists() {
			op("test", p, old)
		}
		switch {
		case next.Exists():
			n := 1
			for n < len(p) && read.Follow(p[:n]).Exists() {
				n++
			}
			op("add", p[:n], wanted.Follow(p[:n])) // with its missing parents
		case old.Exists():
			op("remove", p, document.Value{})
		}
	}
	return ops.List()
}

// configuration returns the configuration for an actor's n-th change: the identity of the
// object and the fields of all its changes so far, because an apply removes fields that its
// manager omits.
func (a *racer) configuration(n int, read, wanted document.Value) (document.Value, error) {
	config := document.NewObject().With("apiVersion", wanted.Get("apiVersion")).With("kind", wanted.Get("kind"))
	for _, key := range [...]string{"name", "namespace"} {
		if v := wanted.Lookup("metadata", key); v.Exists() {
			config = config.Set(v, "metadata", key)
		}
	}
	for i, c := range a.changes[:n+1] {
		var err error
		if c.Set.Exists() {
			if config, err = patch.Merge(config, c.Set, patch.Options{}); err != nil {
				return config, err
			}
		}
		from := read
		if i == n {
			from = wanted
		}
		for _, add := range c.Add {
			p, err := document.ParsePath(add.Path)
			switch {
			case err != nil:
			case add.Items.Exists():
				config, err = withItems(config, p, add.Items)
			case from.Follow(p).Exists():
				config, err = config.SetAt(p, from.Follow(p))
			}
			if err != nil {
				return config, err
			}
		}
	}
	return config, nil
}
