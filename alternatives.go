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

// Alternatives holds one patch of each type for the same intent: turning one object into
// another.
type Alternatives struct {
	Target Target       `json:"target"`
	Kind   *schema.Kind `json:"-"`
	// Before is the original object. Wanted is the object as an update would store it:
	// defaulted, and with the fields that clients cannot change reset.
	Before *Object `json:"before"`
	Wanted *Object `json:"wanted"`
	// Changes lists the fields that differ between Before and Wanted.
	Changes []explain.Change `json:"changes"`
	// Patches holds a JSON patch, a merge patch, a strategic merge patch and a server-side
	// apply configuration, in this order.
	Patches []Alternative `json:"patches"`
	// Notes lists findings and assumptions for the user, and Warnings those that the API server sends with the update.
	Notes    []Note   `json:"notes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Alternative is one way to make the change: a patch of one type and its result.
type Alternative struct {
	Action Action `json:"action"`
	// Patch is absent if the change cannot be made by a patch of this type.
	Patch document.Value `json:"patch,omitzero"`
	// Force is set if the apply must be forced because other managers own some of the
	// fields.
	Force bool `json:"force,omitempty"`
	// Result is the outcome of the patch; it is nil if the patch is refused, and Err is the
	// reason. The JSON has no Err, because an error has no JSON of its own.
	Result *Result `json:"result,omitempty"`
	Err    error   `json:"-"`
	// Exact is set if the result equals the wanted object.
	Exact bool `json:"exact"`
	// Limits lists the parts of the change that this type of patch cannot express, or only
	// with a side effect.
	Limits []explain.Limit `json:"limits,omitempty"`
}

// Alternatives computes a patch of each type that turns one object into another, applies
// each to the object, and compares the result with the wanted object. The manager in the
// options is the one that applies; fields that it applied before stay in its configuration.
// Force in the options has no effect: Alternative.Force reports whether it is needed.
//
// An error means that the API server would refuse the wanted object itself, or that from
// does not have the object that to names (ErrNoMatch).
func (l *Lab) Alternatives(from, to Input, o ApplyOptions) (*Alternatives, error) {
	a, err := l.Compare(from, to, o)
	if err != nil {
		return nil, err
	}
	o = o.unforced()
	was, is := uncounted(a.Before.Value), uncounted(a.Wanted.Value)
	a.add(l.jsonAlternative(a, was, is, o))
	a.add(l.mergeAlternative(a, was, is, o))
	a.add(l.strategicAlternative(a, was, is, o))
	applied, err := l.applyAlternative(a, o)
	a.add(applied)
	return a, err
}

// Compare returns what Alternatives does without the patches, whose computation takes most of its time.
func (l *Lab) Compare(from, to Input, o ApplyOptions) (*Alternatives, error) {
	if err := l.usable(); err != nil {
		return nil, err
	}
	o = o.unforced()
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
	annotation := document.Keys("metadata", "annotations", patch.LastApplied)
	if kept := live.Follow(annotation); o.KeepLastApplied && kept.Exists() && !object.Follow(annotation).Exists() {
		object = object.Set(kept, "metadata", "annotations", patch.LastApplied)
	}
	wanted, err := l.single(live, inPlaceOf(docs[0], object), o.change(ActionUpdate))
	if err != nil {
		return nil, err
	}
	a := &Alternatives{Target: wanted.Target, Kind: wanted.After.Kind, Before: wanted.Before, Wanted: wanted.After, Notes: wanted.Notes, Warnings: wanted.Warnings}
	a.Changes = explain.Changes(a.Kind.Type(), fieldmanager.Object{Value: a.Before.Value}, fieldmanager.Object{Value: a.Wanted.Value})
	return a, nil
}

// unforced returns the options with the default manager, and without force.
func (o ApplyOptions) unforced() ApplyOptions {
	o.Force = false
	if o.FieldManager == "" {
		o.FieldManager = ActionApply.manager()
	}
	return o
}

// updatable opens both objects and returns the wanted one as the body of an update: with
// the live object's resourceVersion, which updates of custom resources must have.
func (l *Lab) updatable(from Input, to manifest.Object, c Change) (live, wanted document.Value, err error) {
	found, err := readLive(from)
	if err != nil {
		return live, wanted, err
	}
	if !to.Typed() {
		return live, wanted, located(&fieldProblem{nil, "a whole object with apiVersion, kind and metadata.name is required to compare with, not a patch", ErrInput}, to)
	}
	if nameOf(to.Value).name == "" { // match accepts a partial object without a name
		return live, wanted, located(&fieldProblem{document.Keys("metadata", "name"), nameRequired(to.Value), ErrInput}, to).about(unnamed(to), c.Action)
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
	if version.StringOr("") == "" { // manifests have none
		version = document.NewString("1")
		live = live.Set(version, "metadata", "resourceVersion")
	}
	return live, withoutVersion(to.Value).Set(version, "metadata", "resourceVersion"), nil
}

// inPlaceOf returns a document of v in which fields that o has too keep their positions in
// o's text, for messages.
func inPlaceOf(o manifest.Object, v document.Value) *document.Document {
	if len(o.At) > 0 {
		return &document.Document{Root: v}
	}
	d := *o.Document
	d.Root, d.Duplicates = v, nil
	return &d
}

// withoutVersion removes the metadata that identifies one version of an object, and its
// owners.
func withoutVersion(v document.Value) document.Value {
	for _, name := range [...]string{"resourceVersion", "uid", "generation", "creationTimestamp", "managedFields", "selfLink"} {
		v = v.Remove("metadata", name)
	}
	return v
}

// uncounted removes the fields that the API server increments itself.
func uncounted(v document.Value) document.Value {
	return v.Remove("metadata", "resourceVersion").Remove("metadata", "generation")
}

// add appends an alternative after comparing its result with the wanted object.
func (a *Alternatives) add(p Alternative) {
	if p.Result != nil {
		after := p.Result.After
		missed := explain.Missed(a.Kind.Type(), uncounted(a.Wanted.Value), fieldmanager.Object{Value: uncounted(after.Value), Managed: after.Managed}, p.Action == ActionApply)
		p.Exact = len(missed) == 0 && document.Identical(uncounted(a.Wanted.Value), uncounted(after.Value))
		p.Limits = append(p.Limits, missed...)
	}
	a.Patches = append(a.Patches, p)
}

// sendAlternative applies a patch to the original object.
func (l *Lab) sendAlternative(a *Alternatives, p *Alternative, o ApplyOptions) {
	c := o.change(p.Action)
	c.Force = p.Force
	p.Result, p.Err = l.single(a.Before, &document.Document{Root: p.Patch}, c)
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
		p.Limits = []explain.Limit{{Rule: explain.LimitStrategicCustom, Message: "the API server does not support strategic merge patches for custom resources (415)"}}
		p.Err = errors.New(p.Limits[0].Message)
		return p
	}
	if p.Patch, p.Err = patch.CreateStrategic(was, is, a.Kind.Type(), patch.Options{Engine: l.patches}); p.Err == nil {
		p.Limits = explain.StrategicLimits(a.Kind.Type(), was, p.Patch)
		l.sendAlternative(a, &p, o)
	}
	return p
}

// applyAlternative builds the configuration to apply: the manager's previous configuration
// without the fields that are no longer wanted, plus the changes.
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
	if p.Err != nil { // fields left over from the previous configuration may be the cause
		if after, err := m.Apply(a.Before.split(), p.Patch, fieldmanager.ApplyOptions{FieldManager: o.FieldManager, Force: true}); err == nil {
			p.Limits = append(p.Limits, explain.Missed(a.Kind.Type(), uncounted(a.Wanted.Value), fieldmanager.Object{Value: uncounted(after.Value), Managed: after.Managed}, true)...)
		}
	}
	return p, nil
}
