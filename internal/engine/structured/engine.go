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
	// Time of the manager's last change, zero where the entry has none.
	Time   time.Time
	Fields fieldset.Set
	// Source is the entry as it was read; it is printed again as it is where
	// nothing of it changed. It may be absent.
	Source document.Value
}

// Same reports whether two entries are of the same manager in the API server's
// sense: a name, an operation, a subresource, and for updates an apiVersion.
func (e *Entry) Same(o *Entry) bool {
	return e.Manager == o.Manager && e.Operation == o.Operation && e.Subresource == o.Subresource &&
		(e.Operation == OperationApply || e.APIVersion == o.APIVersion)
}

// Types are the versions of a kind that the managers of an object may use.
type Types struct {
	// Version is the apiVersion of the request, Type the kind's type in it.
	Version string
	Type    *schema.Type
	// Other returns the kind's type in another version. Where that version does
	// not exist it returns nil; an error makes the request fail.
	Other func(apiVersion string) (*schema.Type, error)
	// Convert returns the object in another version; nil sets apiVersion alone.
	Convert func(object document.Value, apiVersion string) (document.Value, error)
	// Ignore returns what a field set loses in a version because the resource
	// resets those fields; nil for nothing.
	Ignore func(apiVersion string, s fieldset.Set) fieldset.Set
	// Report is told what the engine decides: fields, by which rule, and whose
	// entry it is about. nil costs nothing.
	Report func(r Rule, fields fieldset.Set, about Entry)
}

// A Rule is one by which the engine decides.
type Rule uint8

// The rules, see Merger.Apply and Merger.Update.
const (
	Own       Rule = iota // the fields that the applying manager owns now
	Share                 // those of them that another entry has too
	Prune                 // fields that go because the manager names them no more
	PruneKept             // fields that the manager names no more and that stay
	Clash                 // fields of another entry that a refused apply would change
	Transfer              // fields that an entry loses to the request
	Drop                  // fields that an entry loses because they are gone
	Track                 // the fields that an update changed
)

// An Engine merges objects and keeps owners. Entries that are handed in are
// not changed; those that come back have no entry without fields.
type Engine interface {
	// Apply merges config into live for the manager that self names by
	// everything but its fields. changed is false where the result equals live.
	// A conflict is a Conflicts, an object that does not fit its type ErrType.
	Apply(t *Types, live, config document.Value, entries []Entry, self Entry, force bool) (result document.Value, changed bool, after []Entry, err error)
	// Update tracks a change from live to next: taken are the fields that
	// changed, which no entry has any more.
	Update(t *Types, live, next document.Value, entries []Entry) (after []Entry, taken fieldset.Set, err error)
	// Unchanged returns the fields of config that live holds with the same value.
	Unchanged(t *Types, config, live document.Value) (fieldset.Set, error)
	// Extract returns the part of the object that is made of the fields given.
	Extract(t *Types, object document.Value, fields fieldset.Set) (document.Value, error)
}

// Conflicts are the fields of other managers that an apply would change, by the
// position of their entry.
type Conflicts []Conflict

// A Conflict names the fields of one entry that an apply would change.
type Conflict struct {
	Entry  Entry
	Fields fieldset.Set
}

func (c Conflicts) Error() string { return "the configuration conflicts with other managers" }
