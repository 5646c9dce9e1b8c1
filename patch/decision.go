package patch

import (
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// Outcome is the effect of a decision on a field.
type Outcome uint8

// The outcomes. Patches use those before TakenOver, package fieldmanager uses all.
const (
	// Kept: the field is unchanged although the change contains it.
	Kept Outcome = iota
	// Added: the field did not exist.
	Added
	// Replaced: the field has a new value.
	Replaced
	// Removed: the field no longer exists.
	Removed
	// Merged: the change was merged into the field member by member.
	Merged
	// Moved: the field or list item has a new position.
	Moved
	// Ignored: part of the change has no effect.
	Ignored
	// Refused: the change is not allowed.
	Refused
	// TakenOver: the field has a new owner (package fieldmanager).
	TakenOver
)

// outcomes holds the names of the outcomes.
var outcomes = [...]string{"kept", "added", "replaced", "removed", "merged", "moved", "ignored", "refused", "taken over"}

// String returns the outcome in lower case, such as "kept".
func (o Outcome) String() string {
	if int(o) >= len(outcomes) {
		return "unknown"
	}
	return outcomes[o]
}

// MarshalText implements encoding.TextMarshaler with String.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *Outcome) UnmarshalText(text []byte) error {
	i := slices.Index(outcomes[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not an outcome", text)
	}
	*o = Outcome(i)
	return nil
}

// Rule is the name of a rule in doc/patches.md, such as "merge/null-removes". Names are
// stable, so programs may compare them.
type Rule string

// Decision records one decision of an engine and the rule behind it.
type Decision struct {
	// Path is the path of the field in the new object or, if it was removed or ignored, in
	// the object or change that contained it.
	Path document.Path `json:"path"`
	// Rule is the rule that decided.
	Rule Rule `json:"rule"`
	// Outcome is the effect on the field.
	Outcome Outcome `json:"outcome"`
	// Old and New are the values before and after; absent if the field did not exist.
	Old document.Value `json:"old,omitzero"`
	New document.Value `json:"new,omitzero"`
}

// Observer receives decisions in the order in which they were made. It must clone Path to
// keep it after the call.
type Observer func(Decision)
