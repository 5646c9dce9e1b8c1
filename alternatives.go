package patchlab

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Alternatives are the patches of each type for one intent: to turn an object into
// another one.
type Alternatives struct {
	Target Target
	Kind   *schema.Kind
	// Before is the object before, and Wanted what an update to the wanted object makes
	// of it: with defaults, and with what the API server does not let clients change.
	Before, Wanted *Object
	// Changes are the fields that differ between them.
	Changes []explain.Change
	// Patches are a JSON patch, a merge patch, a strategic merge patch and a
	// configuration for server-side apply, in this order.
	Patches []Alternative
	// Notes say what was found out or assumed.
	Notes []string
}

// Alternative is a patch of one type.
type Alternative struct {
	Action Action
	// Patch is absent where there is no such patch.
	Patch document.Value
	// Force is set if an apply needs force.
	Force bool
	// Result is what the patch makes of the object, nil where it is refused, and Err
	// says why.
	Result *Result
	Err    error
	// Exact is set if the result is what is wanted.
	Exact bool
	// Limits are what a patch of the type cannot say of the change, or says only with
	// a side effect.
	Limits []explain.Limit
}

// Alternatives makes the patches of each type that turn one object into another, sends
// each, and holds what comes of it against what is wanted. The manager of the options
// is the one that applies; what it has applied before stays in its configuration. An
// error says that the API server would refuse the wanted object itself.
func (l *Lab) Alternatives(from, to Input, o ApplyOptions) (*Alternatives, error) {
	if o.FieldManager == "" {
		o.FieldManager = ActionApply.manager()
	}
	docs, err := objects(to)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, fmt.Errorf("%w: expected one wanted object, found %d", ErrInput, len(docs))
	}
	live, object, err := l.updatable(from, docs[0], o.change(ActionUpdate))
	if err != nil {
		return nil, err
	}
	wanted, err := l.single(live, inPlaceOf(docs[0], object), o.change(ActionUpdate))
	if err != nil {
		return nil, err
	}
	a := &Alternatives{Target: wanted.Target, Kind: wanted.After.Kind, Before: wanted.Before, Wanted: wanted.After, Notes: wanted.Notes}
	a.Changes = explain.Changes(a.Kind.Type(), fieldmanager.Object{Value: a.Before.Value}, fieldmanager.Object{Value: a.Wanted.Value})
	was, is := uncounted(a.Before.Value), uncounted(a.Wanted.Value)
	a.add(l.jsonAlternative(a, was, is, o))
	a.add(l.mergeAlternative(a, was, is, o))
	a.add(l.strategicAlternative(a, was, is, o))
	applied, err := l.applyAlternative(a, o)
	a.add(applied)
	return a, err
}

// updatable returns the object that a wanted one is for, and the wanted one as an update
// of it: of the same version, which custom resources have to name.
func (l *Lab) updatable(from Input, to manifest.Object, c Change) (live, wanted document.Value, err error) {
	found, err := readLive(from)
	if err != nil {
		return live, wanted, err
	}
	m, err := l.match(found, to, c)
	if err != nil {
		return live, wanted, located(err, to).about(m.target, c.Action)
	}
	live = found.all[m.at].Value
	if o := found.all[m.at].opened; o != nil {
		live = o.Join()
	}
	version := live.Lookup("metadata", "resourceVersion")
	if version.StringOr("") == "" { // a manifest has none
		version = document.NewString("1")
		live = live.Set(version, "metadata", "resourceVersion")
	}
	return live, withoutVersion(to.Value).Set(version, "metadata", "resourceVersion"), nil
}

// inPlaceOf returns a document of a value that takes an object's place, with the places
// in the text of the fields that both have, for messages.
func inPlaceOf(o manifest.Object, v document.Value) *document.Document {
	if len(o.At) > 0 {
		return &document.Document{Root: v}
	}
	d := *o.Document
	d.Root, d.Duplicates = v, nil
	return &d
}

// withoutVersion removes what identifies one version of an object and its owners.
func withoutVersion(v document.Value) document.Value {
	for _, name := range [...]string{"resourceVersion", "uid", "generation", "creationTimestamp", "managedFields", "selfLink"} {
		v = v.Remove("metadata", name)
	}
	return v
}

// uncounted removes what the API server counts itself.
func uncounted(v document.Value) document.Value {
	return v.Remove("metadata", "resourceVersion").Remove("metadata", "generation")
}

// add finds out how exact an alternative is.
func (a *Alternatives) add(p Alternative) {
	if p.Result != nil {
		after := p.Result.After
		missed := explain.Missed(a.Kind.Type(), uncounted(a.Wanted.Value), fieldmanager.Object{Value: uncounted(after.Value), Managed: after.Managed}, p.Action == ActionApply)
		p.Exact = len(missed) == 0 && document.Identical(uncounted(a.Wanted.Value), uncounted(after.Value))
		p.Limits = append(p.Limits, missed...)
	}
	a.Patches = append(a.Patches, p)
}

// send sends a patch to the object.
func (l *Lab) sendAlternative(a *Alternatives, p *Alternative, o ApplyOptions) {
	c := o.change(p.Action)
	c.Force = p.Force
	d := &document.Document{Root: p.Patch}
	if p.Action != ActionApply { // names its object otherwise
		c.Namespace = ""
	}
	p.Result, p.Err = l.single(a.Before, d, c)
}

func (l *Lab) jsonAlternative(a *Alternatives, was, is document.Value, o ApplyOptions) Alternative {
	p := Alternative{Action: ActionJSONPatch, Patch: patch.CreateJSON(was, is)}
	p.Limits = explain.JSONLimits(was, p.Patch)
	l.sendAlternative(a, &p, o)
	return p
}

func (l *Lab) mergeAlternative(a *Alternatives, was, is document.Value, o ApplyOptions) Alternative {
	p := Alternative{Action: ActionMergePatch}
	if p.Patch, p.Err = patch.CreateMerge(was, is, patch.Options{Engine: l.patches}); p.Err == nil {
		p.Limits = explain.MergeLimits(was, p.Patch)
		l.sendAlternative(a, &p, o)
	}
	return p
}

func (l *Lab) strategicAlternative(a *Alternatives, was, is document.Value, o ApplyOptions) Alternative {
	p := Alternative{Action: ActionStrategicPatch}
	if !a.Kind.Builtin {
		p.Limits = []explain.Limit{{Rule: explain.LimitStrategicCustom, Message: "the API server takes no strategic merge patch for custom resources (415)"}}
		p.Err = errors.New(p.Limits[0].Message)
		return p
	}
	if p.Patch, p.Err = patch.CreateStrategic(was, is, a.Kind.Type(), patch.Options{Engine: l.patches}); p.Err == nil {
		p.Limits = explain.StrategicLimits(a.Kind.Type(), was, p.Patch)
		l.sendAlternative(a, &p, o)
	}
	return p
}

// applyAlternative makes the configuration that the manager has to apply: what it has
// applied, as far as it is still wanted, and what changes.
func (l *Lab) applyAlternative(a *Alternatives, o ApplyOptions) (Alternative, error) {
	p := Alternative{Action: ActionApply}
	m, err := l.pipeline.Manager(a.Kind, o.Subresource)
	if err != nil {
		return p, err
	}
	if p.Patch, p.Err = m.Configuration(a.Before.split(), a.Wanted.Value, o.FieldManager); p.Err != nil {
		return p, nil
	}
	l.sendAlternative(a, &p, o)
	var refused *Error
	var conflicts []Conflict
	if errors.As(p.Err, &refused) && refused.Conflicts != nil {
		conflicts, p.Force = refused.Conflicts.List, true
		l.sendAlternative(a, &p, o)
	}
	p.Limits = explain.ApplyLimits(a.Changes, conflicts)
	if p.Err != nil { // what is left of the fields that stay may be why
		if after, err := m.Apply(a.Before.split(), p.Patch, fieldmanager.ApplyOptions{FieldManager: o.FieldManager, Force: true}); err == nil {
			p.Limits = append(p.Limits, explain.Missed(a.Kind.Type(), uncounted(a.Wanted.Value), fieldmanager.Object{Value: uncounted(after.Value), Managed: after.Managed}, true)...)
		}
	}
	return p, nil
}
