package fieldmanager

import (
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Operation is the type of request by which a manager owns fields.
type Operation string

// The operations of an Owner.
const (
	// OperationApply is server-side apply.
	OperationApply Operation = "Apply"
	// OperationUpdate is any other request: create, update and patches.
	OperationUpdate Operation = "Update"
)

// Owner identifies an entry of managedFields. Owners are comparable. kube-apiserver treats
// two apply entries as the same owner even if their APIVersion differs; see Same.
type Owner struct {
	// Manager is the name of the field manager.
	Manager   string    `json:"manager"`
	Operation Operation `json:"operation"`
	// APIVersion is the version of the field paths in the entry.
	APIVersion string `json:"apiVersion"`
	// Subresource is the subresource of the requests, "" for the object itself.
	Subresource string `json:"subresource,omitempty"`
}

// Same reports whether the API server keeps a single entry for both owners.
func (o Owner) Same(p Owner) bool {
	if o.Operation == OperationApply {
		p.APIVersion = o.APIVersion
	}
	return o == p
}

// String returns the owner as in the API server's conflict messages:
//
//	"kubectl" with subresource "status" using apps/v1
//
// The version is omitted for an apply.
func (o Owner) String() string {
	s := strconv.Quote(o.Manager)
	if o.Subresource != "" {
		s += " with subresource " + strconv.Quote(o.Subresource)
	}
	if o.Operation == OperationUpdate {
		s += " using " + o.APIVersion
	}
	return s
}

// Entry is an entry of managedFields: an owner and its fields.
type Entry struct {
	Owner
	// Time is the time of the owner's last change; zero if the entry has none.
	Time time.Time
	// Fields holds the fields that the owner owns.
	Fields Set

	value document.Value // as stored; may be absent
}

// entry is the engine's representation of an Entry.
type entry = structured.Entry

func ownerOf(e *entry) Owner {
	return Owner{Manager: e.Manager, Operation: Operation(e.Operation), APIVersion: e.APIVersion, Subresource: e.Subresource}
}

func published(e *entry) Entry {
	return Entry{Owner: ownerOf(e), Time: e.Time, Fields: Set{e.Fields}, value: e.Source}
}

func (e *Entry) internal() entry {
	return entry{Manager: e.Manager, Operation: structured.Operation(e.Operation), APIVersion: e.APIVersion,
		Subresource: e.Subresource, Time: e.Time, Fields: e.Fields.trie, Source: e.value}
}

// Value returns the entry as in managedFields.
func (e Entry) Value() document.Value {
	in := e.internal()
	return encodeEntry(&in)
}

// String returns the entry as JSON.
func (e Entry) String() string { return e.Value().String() }

// MarshalJSON encodes the entry as in managedFields.
func (e Entry) MarshalJSON() ([]byte, error) { return e.Value().JSON(), nil }

// UnmarshalJSON decodes an entry of managedFields. An error wraps ErrManagedFields.
func (e *Entry) UnmarshalJSON(data []byte) error {
	d, err := document.Parse(data, document.Options{MaxBytes: -1})
	if err != nil {
		return err
	}
	in, err := decodeEntry(d.Root)
	if err != nil {
		return entryError(err)
	}
	*e = published(&in)
	return nil
}
