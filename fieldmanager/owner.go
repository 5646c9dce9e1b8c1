package fieldmanager

import (
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Operation is how a field manager came to own its fields.
type Operation string

// The operations of an Owner.
const (
	// OperationApply is server-side apply.
	OperationApply Operation = "Apply"
	// OperationUpdate is every other request: create, update and the patches.
	OperationUpdate Operation = "Update"
)

// Owner identifies one entry of managedFields. Owners are comparable. kube-apiserver
// treats two entries as the same owner even if the APIVersion of an apply differs; see
// Same.
type Owner struct {
	// Manager is the name of the field manager.
	Manager   string    `json:"manager"`
	Operation Operation `json:"operation"`
	// APIVersion is the version that the entry's fields are written in.
	APIVersion string `json:"apiVersion"`
	// Subresource that the requests went to, "" for the object itself.
	Subresource string `json:"subresource,omitempty"`
}

// Same reports whether the API server keeps one entry for both owners.
func (o Owner) Same(p Owner) bool {
	if o.Operation == OperationApply {
		p.APIVersion = o.APIVersion
	}
	return o == p
}

// String writes the owner as the API server's messages on conflicts do:
//
//	"kubectl" with subresource "status" using apps/v1
//
// The version is left out for an apply.
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

// Entry is one entry of managedFields: an owner and its fields.
type Entry struct {
	Owner
	// Time of the owner's last change, zero if the entry has none.
	Time time.Time
	// Fields that the owner owns.
	Fields Set

	value document.Value // as it is stored; may be absent
}

// entry is an Entry as the engine has it.
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

// Value returns the entry as managedFields hold it.
func (e Entry) Value() document.Value {
	in := e.internal()
	return encodeEntry(&in)
}

// String returns the entry as JSON.
func (e Entry) String() string { return e.Value().String() }

// MarshalJSON returns the entry as managedFields hold it.
func (e Entry) MarshalJSON() ([]byte, error) { return e.Value().JSON(), nil }

// UnmarshalJSON reads an entry of managedFields. An error is ErrManagedFields.
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
