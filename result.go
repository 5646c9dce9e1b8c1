package patchlab

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
)

// A Result is what becomes of an object.
type Result struct {
	Target Target
	// Action and FieldManager are those of the change, also where it left them
	// open.
	Action       Action
	FieldManager string
	// Position is where the document of the change begins.
	Position document.Position
	// Before is the object before, as the API server reads it from its store:
	// with the defaults of fields that it lacks. It is nil where the object was
	// created.
	Before *Object
	// After is the object after the change.
	After *Object
	// Scale is the Scale object in the response to a change of the subresource scale, and
	// absent for other changes.
	Scale document.Value
	// Warnings are those that the API server sends with its answer.
	Warnings []string
	// Notes say what was found out or assumed: the action, the namespace, that a
	// kind has no schema.
	Notes []string

	noted *explain.Notes // nil where the change was not to be explained
}

// Object returns the object after the change, with its managedFields.
func (r *Result) Object() document.Value { return r.After.Join() }

// Created reports whether there was no object before.
func (r *Result) Created() bool { return r.Before == nil }

// Changed reports whether the object differs from the one before, in a value or in
// an owner. A change that changes nothing leaves the resourceVersion as it is.
func (r *Result) Changed() bool {
	if r.Before == nil {
		return true
	}
	if r.Before == r.After {
		return false
	}
	return !document.Identical(r.Before.Value, r.After.Value) || !document.Identical(r.Before.Managed.Value(), r.After.Managed.Value())
}

// Changes lists the fields that the change set, removed, or moved between
// managers, in the order of their paths.
func (r *Result) Changes() []explain.Change {
	var before Object
	if r.Before != nil {
		before = *r.Before
	}
	return explain.Changes(r.After.Kind.Type(), before.split(), r.After.split())
}

// Reasons lists why the fields that the change set, removed, left as they are or moved
// between managers are as they are, by the rules of doc/rules.md. It is nil where the
// change was made without Change.Explain.
func (r *Result) Reasons() []explain.Reason {
	if r.noted == nil {
		return nil
	}
	w := explain.Write{Type: r.After.Kind.Type(), After: r.After.split(), Manager: r.FieldManager, Notes: r.noted}
	if r.Before != nil {
		w.Before = r.Before.split()
	}
	return explain.Reasons(w)
}

// Reasons lists the fields for which a change was refused, each with the rule that
// refuses it (doc/rules.md), the value and the owners before. It is nil where the
// change was made without Change.Explain.
func (e *Error) Reasons() []explain.Reason {
	if e.write == nil || e.write.noted == nil {
		return nil
	}
	w := explain.Write{Type: e.write.kind.Type(), Manager: e.FieldManager, Notes: e.write.noted}
	if e.write.live != nil {
		w.Before = e.write.live.split()
	}
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

// Changes lists the fields that differ between two states of an object, in value or
// in owners, in the order of their paths. What the API server counts is left out.
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
