package patchlab

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
)

// Result is the outcome of a change to one object. Its JSON has the objects as the API server would
// return them, with managedFields.
type Result struct {
	Target Target `json:"target"`
	// Action and FieldManager are those of the change, including detected and default ones.
	Action       Action `json:"action"`
	FieldManager string `json:"fieldManager"`
	// Position is where the change's document begins.
	Position document.Position `json:"position,omitzero"`
	// Before is the object before the change, as the API server reads it from storage: with
	// defaults for missing fields. It is nil if the object was created.
	Before *Object `json:"before,omitempty"`
	// After is the object after the change. Nothing is stored, so it keeps the resourceVersion
	// of the live object; its generation and managedFields are those after the change. If the
	// change removes the last finalizer of an object with a deletionTimestamp, After is the
	// object in the response, which the API server then deletes.
	After *Object `json:"after"`
	// Scale is the Scale in the response to a change of the scale subresource; absent
	// otherwise.
	Scale document.Value `json:"scale,omitzero"`
	// Warnings lists the warnings that the API server would send.
	Warnings []string `json:"warnings,omitempty"`
	// Notes lists findings and assumptions, such as the detected action, the namespace or a
	// kind without a schema.
	Notes []Note `json:"notes,omitempty"`

	noted *explain.Notes // nil unless Change.Explain is set
}

// String returns a summary without values, such as "Deployment.apps web in namespace shop:
// server-side apply as "gitops", changed".
func (r *Result) String() string {
	effect := "unchanged"
	switch {
	case r.Created():
		effect = "created"
	case r.Changed():
		effect = "changed"
	}
	return r.Target.String() + ": " + r.Action.Title() + " as " + strconv.Quote(r.FieldManager) + ", " + effect
}

// Object returns the object after the change as the API server would return it, with
// metadata.managedFields. After has its owners and fields.
func (r *Result) Object() document.Value { return r.After.Join() }

// Created reports whether the change created the object.
func (r *Result) Created() bool { return r.Before == nil }

// Changed reports whether any value or owner changed. A change without effect leaves the
// resourceVersion unchanged.
func (r *Result) Changed() bool {
	if r.Before == nil {
		return true
	}
	if r.Before == r.After {
		return false
	}
	return !document.Identical(r.Before.Value, r.After.Value) || !document.Identical(r.Before.Managed.Value(), r.After.Managed.Value())
}

// Changes lists the fields that were set or removed or changed owners, ordered by path,
// without the metadata that only the API server sets (see [Lab.Changes]). The values of Secrets
// are included: a program that prints changes has to mask them.
func (r *Result) Changes() []explain.Change {
	return explain.Changes(r.After.fieldTypes(), r.Before.split(), r.After.split())
}

// Reasons lists, for the fields that the change set, removed, kept or transferred, the rule
// of doc/rules.md that decided it. It is nil unless Change.Explain was set.
func (r *Result) Reasons() []explain.Reason {
	if r.noted == nil {
		return nil
	}
	return explain.Reasons(explain.Write{Type: r.After.fieldTypes(), Before: r.Before.split(), After: r.After.split(), Manager: r.FieldManager, Notes: r.noted})
}

// Reasons lists the fields that caused the refusal, each with its rule (doc/rules.md) and
// its value and owners before. It is nil unless Change.Explain was set.
func (e *Error) Reasons() []explain.Reason {
	if e.write == nil || e.write.noted == nil {
		return nil
	}
	w := explain.Write{Type: e.write.kind.Type(), Before: e.write.live.split(), Manager: e.FieldManager, Notes: e.write.noted}
	switch {
	case e.Conflicts != nil:
		w.Conflicts = e.Conflicts.List
	case len(e.Fields) == 0:
		w.Refused = []explain.Refusal{{Message: e.Err.Error()}}
	}
	for _, f := range e.Fields {
		if e.Conflicts == nil {
			w.Refused = append(w.Refused, explain.Refusal{Path: f.Path, Rule: explain.Rule(f.Rule), Value: f.Value, Message: f.Message, Hint: f.Hint})
		}
	}
	return explain.Reasons(w)
}

// Changes lists the fields whose value or owners differ between two states of an object,
// ordered by path. The metadata that only the API server sets (resourceVersion, generation,
// uid, creationTimestamp) is excluded. Each state must be exactly one object. An error is
// that of Lab.Open.
func (l *Lab) Changes(before, after Input) ([]explain.Change, error) {
	was, err := l.Open(before)
	if err != nil {
		return nil, err
	}
	is, err := l.Open(after)
	if err != nil {
		return nil, err
	}
	return explain.Changes(is.Kind.Type(), was.split(), is.split()), nil
}
