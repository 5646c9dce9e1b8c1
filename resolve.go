package patchlab

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// Resolution is a configuration whose conflicts have been resolved one by one.
type Resolution struct {
	Target Target `json:"target"`
	// Kind is the object's kind.
	Kind *schema.Kind `json:"-"`
	// FieldManager is the manager that applies.
	FieldManager string `json:"fieldManager"`
	// Conflicts are the conflicts of the original configuration. Fields are their fields
	// with positions, in the same order.
	Conflicts []Conflict   `json:"conflicts,omitempty"`
	Fields    []FieldError `json:"fields,omitempty"`
	// Resolution holds the configuration to apply instead of the original.
	explain.Resolution
	// Result is the outcome of applying that configuration; nil while a conflict is open.
	Result *Result `json:"result,omitempty"`
	// Notes lists findings and assumptions for the user.
	Notes []Note `json:"notes,omitempty"`
}

// Resolve finds the conflicts of an apply and resolves each. choose returns explain.Force,
// explain.DropField or explain.AdoptValue for a conflict, or "" to leave it open; a nil
// choose leaves all of them open. The resolved configuration is then applied, which gives
// Result. ApplyOptions.Force must not be set: an apply with force has no conflicts.
//
// An error is an *[Error] if the configuration is refused for another reason, before or
// after its conflicts are resolved. It wraps explain.ErrWay if the chosen resolution is not
// possible.
func (l *Lab) Resolve(live, config Input, o ApplyOptions, choose func(Conflict) string) (*Resolution, error) {
	if o.Force {
		return nil, invalidOption("force", "Resolve finds the conflicts of an apply without force; to take a field over, let choose return explain.Force for its conflict")
	}
	docs, err := objects(config)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, fmt.Errorf("%w: expected one configuration, found %d", ErrInput, len(docs))
	}
	r := &Resolution{Resolution: explain.Resolution{Config: docs[0].Value}}
	result, err := l.Apply(live, config, o)
	var failed *Error
	switch {
	case err == nil:
		r.Result, r.Target, r.FieldManager, r.Notes, r.Kind = result, result.Target, result.FieldManager, result.Notes, result.After.Kind
		return r, nil
	case !errors.As(err, &failed) || failed.Conflicts == nil:
		return nil, err
	}
	r.Target, r.FieldManager, r.Notes, r.Conflicts, r.Fields = failed.Target, failed.FieldManager, failed.Notes, failed.Conflicts.List, failed.Fields
	if r.Kind, _, err = l.kindOf(docs[0].Value, r.Target.Namespace != "", o.Subresource == "status"); err != nil {
		return nil, err
	}
	if r.Resolution, err = explain.Resolve(r.Kind.Type(), docs[0].Value, r.Conflicts, choose); err != nil || len(r.Open) > 0 {
		return r, err
	}
	o.Force = r.Force
	r.Result, err = l.Apply(live, inPlaceOf(docs[0], r.Config), o)
	if errors.As(err, &failed) && failed.Conflicts != nil {
		c := failed.Conflicts.List[0]
		return r, fmt.Errorf("%w: %s: the resolved configuration still conflicts with %q; for example, every apply merges a duplicate item of the live object", explain.ErrWay, c.Path, c.Manager)
	}
	return r, err
}

// Preview returns the value and the owners that a conflicting field will have after the
// resolved configuration is applied. The value is absent if the object will not have the
// field, or if the conflict is in another apiVersion than the object's.
func (r *Resolution) Preview(c Conflict) (value document.Value, owners []fieldmanager.Entry) {
	if r.Result == nil {
		return document.Value{}, nil
	}
	after := r.Result.After
	if c.APIVersion == after.Kind.APIVersion() {
		value = after.Value.Follow(c.Path)
	}
	return value, after.Managed.Owners(c.Path)
}
