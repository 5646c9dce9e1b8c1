// Package structured is patchlab's own engine for structured merge (KEP-555):
// it merges an applied configuration into a live object and keeps the sets of
// owned fields, as sigs.k8s.io/structured-merge-diff does for the API server.
package structured

import (
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Operation is how a manager came to own its fields.
type Operation string

// The operations.
const (
	OperationApply  Operation = "Apply"
	OperationUpdate Operation = "Update"
)

// An Entry is one entry of managedFields: the fields of one manager.
type Entry struct {
	Manager   string
	Operation Operation
	// APIVersion is the version that Fields are written in.
	APIVersion  string
	Subresource string
	// Time of the manager's last change, zero if the entry has none.
	Time   time.Time
	Fields fieldset.Set
	// Source is the value that the entry was read from, absent for a new entry.
	// An entry that did not change is stored as this value again.
	Source document.Value
}

// Same reports whether two entries have the same owner: manager, operation and
// subresource and, for updates, apiVersion.
func (e *Entry) Same(o *Entry) bool {
	return e.Manager == o.Manager && e.Operation == o.Operation && e.Subresource == o.Subresource &&
		(e.Operation == OperationApply || e.APIVersion == o.APIVersion)
}

// Types are the versions of a kind, and what is specific to the resource that a
// request goes to.
type Types struct {
	// Version is the apiVersion of the request, Type the kind's type in it.
	Version string
	Type    *schema.Type
	// Other returns the kind's type in another version, nil to ignore entries in
	// that version. An error makes the request fail.
	Other func(apiVersion string) (*schema.Type, error)
	// Convert returns the object in another version; nil changes only apiVersion.
	Convert func(object document.Value, apiVersion string) (document.Value, error)
	// Ignore returns a field set without the fields that the resource resets in
	// a version. nil means that it resets none.
	Ignore func(apiVersion string, s fieldset.Set) fieldset.Set
	// Report, if set, is called with what the engine decides: the rule, the
	// fields, and the entry that they are in.
	Report func(r Rule, fields fieldset.Set, about Entry)
}

// Rule identifies the rule behind a decision of the engine about a field.
type Rule uint8

// The rules, see Merger.Apply and Merger.Update.
const (
	Own       Rule = iota // fields that the applying manager owns
	Share                 // fields of these that another entry has too
	Prune                 // fields that are removed because config no longer has them
	PruneKept             // fields that config no longer has and that stay
	Clash                 // fields of another entry that a refused apply would change
	Transfer              // fields that an entry loses to the request
	Drop                  // fields that an entry loses because they no longer exist
	Track                 // the fields that an update changed
)

// Engine merges objects and tracks owners. It does not change the entries that it
// is given. Among those that it returns, none is without fields.
type Engine interface {
	// Apply merges config into live for the owner self, whose Fields are not
	// used. changed is false if the result equals live. An error is Conflicts,
	// ErrType for an object that does not fit its type, or one from Types.
	Apply(t *Types, live, config document.Value, entries []Entry, self Entry, force bool) (result document.Value, changed bool, after []Entry, err error)
	// Update tracks a change from live to next. taken are the fields that
	// changed; after does not have them.
	Update(t *Types, live, next document.Value, entries []Entry) (after []Entry, taken fieldset.Set, err error)
	// Unchanged returns the fields of config that live has with the same value.
	Unchanged(t *Types, config, live document.Value) (fieldset.Set, error)
	// Extract returns an object with only the fields given.
	Extract(t *Types, object document.Value, fields fieldset.Set) (document.Value, error)
}

// Conflicts is the error of an apply that would change fields of other managers.
// It is in the order of their entries.
type Conflicts []Conflict

// Conflict holds the fields of one entry that an apply would change.
type Conflict struct {
	Entry  Entry
	Fields fieldset.Set
}

func (c Conflicts) Error() string { return "the configuration conflicts with other managers" }
