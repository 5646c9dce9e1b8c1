package patchlab

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// A Resolution is a configuration with a way out of each of its conflicts.
type Resolution struct {
	Target Target
	// Kind of the object.
	Kind *schema.Kind
	// FieldManager is the manager that applies.
	FieldManager string
	// Conflicts are the conflicts of the original configuration. Fields are the paths
	// of their fields in it, in the same order.
	Conflicts []Conflict
	Fields    []FieldError
	// Resolution has the configuration to apply in its place.
	explain.Resolution
	// Result is what applying it gives, nil where a conflict is open.
	Result *Result
	// Notes say what was found out or assumed.
	Notes []string
}

// Resolve finds the conflicts of an apply and takes a way out of each. choose
// returns explain.Force, explain.DropField or explain.AdoptValue for a conflict, or
// "" to leave it open; a nil choose leaves all open. What applying the resolved
// configuration gives is tried at once.
//
// An error is an *[Error] where the configuration cannot be applied for another
// reason, before or after the conflicts are resolved, and wraps explain.ErrWay where
// a way cannot be taken.
func (l *Lab) Resolve(live, config Input, o ApplyOptions, choose func(Conflict) string) (*Resolution, error) {
	if o.Force {
		return nil, fmt.Errorf("%w: an apply with force has no conflicts to resolve", ErrInput)
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
	if choose == nil {
		choose = func(Conflict) string { return "" }
	}
	if r.Resolution, err = explain.Resolve(r.Kind.Type(), docs[0].Value, r.Conflicts, choose); err != nil || len(r.Open) > 0 {
		return r, err
	}
	o.Force = r.Force
	r.Result, err = l.Apply(live, inPlaceOf(docs[0], r.Config), o)
	if errors.As(err, &failed) && failed.Conflicts != nil {
		c := failed.Conflicts.List[0]
		return r, fmt.Errorf("%w: %s: the resolved configuration would still conflict with %q, as where the live object has an item twice, of which any apply leaves one", explain.ErrWay, c.Path, c.Manager)
	}
	return r, err
}

// Preview returns the value and the owners that the field of a conflict has once the
// resolved configuration is applied. The value is absent where the object then has no
// such field, and where the conflict is in another apiVersion than the object.
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
