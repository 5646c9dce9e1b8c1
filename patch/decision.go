package patch

import (
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// Outcome is what became of a field.
type Outcome uint8

// The outcomes. Patches use the first seven, package fieldmanager all of them.
const (
	// Kept: the field stays as it was, although the change names it.
	Kept Outcome = iota
	// Added: the field was not there.
	Added
	// Replaced: the field has another value.
	Replaced
	// Removed: the field is gone.
	Removed
	// Merged: the change was merged into the field, member by member.
	Merged
	// Moved: the field, or the item of a list, stands elsewhere.
	Moved
	// Ignored: a part of the change has no effect.
	Ignored
	// Refused: the change is not allowed.
	Refused
	// TakenOver: the field changes its owner (package fieldmanager).
	TakenOver
)

// outcomes are the names of the outcomes.
var outcomes = [...]string{"kept", "added", "replaced", "removed", "merged", "moved", "ignored", "refused", "taken over"}

// String returns the outcome in lower case: "kept".
func (o Outcome) String() string {
	if int(o) >= len(outcomes) {
		return "unknown"
	}
	return outcomes[o]
}

// MarshalText returns the outcome as String does.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (o *Outcome) UnmarshalText(text []byte) error {
	i := slices.Index(outcomes[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not an outcome", text)
	}
	*o = Outcome(i)
	return nil
}

// Rule is the name of a rule of doc/patches.md, such as
// "merge/null-removes". It is stable: programs may compare it.
type Rule string

// Decision is one thing that an engine decided, and the rule that made it so.
type Decision struct {
	// Path of the field: in the object after the change, or, where it was
	// removed or ignored, in the object or change that had it.
	Path document.Path
	// Rule that decided.
	Rule Rule
	// Outcome of it.
	Outcome Outcome
	// Old and New are the values before and after, absent where there was none.
	Old, New document.Value
}

// An Observer is told decisions, in the order in which they were made. It must
// not keep Path's backing array beyond the call unless it clones it.
type Observer func(Decision)
