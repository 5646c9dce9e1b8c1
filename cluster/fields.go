package cluster

import (
	"errors"

	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Names of the rules that refuse fields, as documented in doc/rules.md.
const (
	refusedStrict    = "refused/strict"
	refusedType      = "refused/type"
	refusedUnknown   = "refused/unknown"
	refusedPatch     = "refused/patch"
	refusedInvalid   = "refused/invalid"
	refusedImmutable = "refused/immutable"
)

// Fields returns the part of the failure that concerns single fields, each with its Path: the
// causes of an invalid object, conflicts, unknown and duplicate fields, values of a wrong
// type, and the failed part of a patch. It is empty if the failure concerns the request as a
// whole.
//
// A path that begins with an index refers to the operations of a JSON patch. Every other path
// refers to the object, which for a merge patch, a strategic merge patch and an apply
// configuration is also a path in the body. List items are selected by index or by key.
func (s *Status) Fields() []Cause {
	var conflicts *fieldmanager.Conflicts
	var strict *StrictError
	var undecoded *defaults.DecodeError
	var unpatched *patch.Error
	var mistyped *structured.TypeError
	var request *fieldmanager.RequestError
	switch {
	case errors.As(s.Err, &conflicts):
		return s.conflictingFields(conflicts.List)
	case errors.As(s.Err, &strict):
		causes := make([]Cause, len(strict.Problems))
		for i, p := range strict.Problems {
			causes[i] = Cause{Message: p.Message, Path: p.Path, Rule: refusedStrict}
		}
		return causes
	case errors.As(s.Err, &undecoded):
		return []Cause{{Message: undecoded.Reason, Field: undecoded.Path.String(), Path: undecoded.Path, Rule: refusedType}}
	case errors.As(s.Err, &unpatched):
		return []Cause{{Message: unpatched.Error(), Path: unpatched.Path, Rule: refusedPatch}}
	case errors.As(s.Err, &mistyped) && len(mistyped.Path) > 0:
		return mistypedFields(mistyped)
	case errors.As(s.Err, &request) && len(request.Path) > 0:
		return []Cause{{Message: request.Detail, Path: request.Path}}
	}
	return s.invalidFields()
}

// conflictingFields returns the fields of the conflicts of an apply.
func (s *Status) conflictingFields(conflicts []fieldmanager.Conflict) []Cause {
	causes := make([]Cause, len(conflicts))
	for i, c := range conflicts {
		if s.Details != nil && i < len(s.Details.Causes) { // Details.Causes has the same order
			causes[i] = s.Details.Causes[i]
		} else {
			causes[i] = Cause{Type: CauseConflict, Message: "conflict with " + c.Owner.String(), Field: c.Field()}
		}
		causes[i].Path, causes[i].Value, causes[i].Rule = c.Path, c.Wanted, string(fieldmanager.RuleConflict)
	}
	return causes
}

// mistypedFields returns the fields of an apply configuration, or of a live object, that do not fit
// the schema.
func mistypedFields(first *structured.TypeError) []Cause {
	causes := make([]Cause, 0, 1+len(first.Others))
	for _, e := range append([]*structured.TypeError{first}, first.Others...) {
		c := Cause{Message: e.Reason, Field: e.Path.String(), Path: e.Path, Rule: refusedType}
		if e.Reason == structured.Undeclared {
			c.Rule = refusedUnknown
		}
		causes = append(causes, c)
	}
	return causes
}

// invalidFields returns the causes of an invalid object that concern fields.
func (s *Status) invalidFields() (causes []Cause) {
	if s.Details == nil {
		return nil
	}
	for _, c := range s.Details.Causes {
		if c.Path != nil {
			c.Rule = refusedInvalid
			if c.immutable {
				c.Rule = refusedImmutable
			}
			causes = append(causes, c)
		}
	}
	return causes
}
