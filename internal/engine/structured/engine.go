// Package structured is patchlab's implementation of structured merge (KEP-555). Like
// sigs.k8s.io/structured-merge-diff in the API server, it merges an applied configuration
// into a live object and maintains the sets of owned fields.
package structured

import (
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// Operation is the type of request by which a manager owns fields.
type Operation string

// The operations.
const (
	OperationApply  Operation = "Apply"
	OperationUpdate Operation = "Update"
)

// Entry is an entry of managedFields: the fields of one manager.
type Entry struct {
	Manager   string
	Operation Operation
	// APIVersion is the version of the paths in Fields.
	APIVersion  string
	Subresource string
	// Time is the time of the manager's last change; zero if the entry has none.
	Time   time.Time
	Fields fieldset.Set
	// Source is the decoded value of the entry; absent for a new one. An unchanged entry is
	// stored as this value again.
	Source document.Value
}

// Same reports whether two entries have the same owner: manager, operation and
// subresource and, for updates, apiVersion.
func (e *Entry) Same(o *Entry) bool {
	return e.Manager == o.Manager && e.Operation == o.Operation && e.Subresource == o.Subresource &&
		(e.Operation == OperationApply || e.APIVersion == o.APIVersion)
}

// Types holds the versions of a kind and the configuration of the requested resource.
type Types struct {
	// Version is the apiVersion of the request, Type the kind's type in it.
	Version string
	Type    *schema.Type
	// Other returns the kind's type in another version, or nil to drop entries in that
	// version. An error fails the request.
	Other func(apiVersion string) (*schema.Type, error)
	// Convert converts the object to another version; nil only sets apiVersion.
	Convert func(object document.Value, apiVersion string) (document.Value, error)
	// Ignore returns a field set without the fields that the resource resets in a version.
	// nil means that it resets none.
	Ignore func(apiVersion string, s fieldset.Set) fieldset.Set
	// Report, if not nil, receives the decisions of the engine: the rule, the fields, and
	// the entry concerned.
	Report func(r Rule, fields fieldset.Set, about Entry)
}

// Rule identifies the rule behind a decision of the engine about a field.
type Rule uint8

// The rules, see Merger.Apply and Merger.Update.
const (
	Own       Rule = iota // fields that the applying manager owns
	Share                 // fields of these that another entry has too
	Prune                 // fields that are removed because config no longer has them
	PruneKept             // fields that config no longer has and that remain
	Clash                 // fields of another entry that a refused apply would change
	Transfer              // fields that an entry loses to the request
	Drop                  // fields that an entry loses because they no longer exist
	Track                 // the fields that an update changed
)

// Engine merges objects and tracks ownership. It does not modify the entries passed to it.
// Entries that it returns are not empty.
type Engine interface {
	// Apply merges config into live for the owner self, whose Fields are ignored. changed
	// is false if the result equals live. An error is Conflicts, ErrType if an object does
	// not match its type, or an error of Types.
	Apply(t *Types, live, config document.Value, entries []Entry, self Entry, force bool) (result document.Value, changed bool, after []Entry, err error)
	// Update tracks a change from live to next. taken holds the changed fields, which the
	// entries in after no longer have.
	Update(t *Types, live, next document.Value, entries []Entry) (after []Entry, taken fieldset.Set, err error)
	// Unchanged returns the fields of config that live has with the same value.
	Unchanged(t *Types, config, live document.Value) (fieldset.Set, error)
	// Extract returns an object with only the given fields.
	Extract(t *Types, object document.Value, fields fieldset.Set) (document.Value, error)
}

// Conflicts is the error of an apply that would change fields of other managers, in the
// order of their entries.
type Conflicts []Conflict

// Conflict holds the fields of one entry that an apply would change.
type Conflict struct {
	Entry  Entry
	Fields fieldset.Set
}

func (c Conflicts) Error() string { return "the configuration conflicts with other managers" }
