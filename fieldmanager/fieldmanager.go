// Package fieldmanager keeps track of who owns which field of an object, as the
// API server does in metadata.managedFields, and applies configurations
// (server-side apply, KEP-555).
//
// A [Manager] serves one kind in one version (and one subresource of it).
// [Manager.Apply] merges a configuration; [Manager.Update] tracks what any
// other request changed. Both take and return an [Object]: a value without its
// managedFields, and beside it the [Managed] that they decode to, so that a
// stored object is not decoded again for every request.
//
// Parts that two values share are not compared.
package fieldmanager

import (
	"errors"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// Causes of errors, to be found with errors.Is. What the API server answers
// stands behind each.
var (
	// ErrConflict: other managers own fields that an apply would change (409).
	// The error is a *Conflicts.
	ErrConflict = errors.New("conflict")
	// ErrType: an object does not fit the type of its kind: a wrong type, an
	// unknown field, a duplicate item (500 without a reason).
	ErrType = structured.ErrType
	// ErrManagedFields: the managedFields of the live object cannot be decoded
	// (500 without a reason).
	ErrManagedFields = errors.New("invalid managedFields")
	// ErrRequest: the request has no field manager, or the configuration is of
	// another kind or version or has managedFields itself (400).
	ErrRequest = errors.New("bad apply request")
	// ErrName: the configuration names another object than the live one (400).
	ErrName = errors.New("another object")
	// ErrVersion: an entry's apiVersion cannot be converted to (500).
	ErrVersion = errors.New("no such version")
)

// An Object is an object and who manages its fields. Objects are immutable.
type Object struct {
	// Value is the object without metadata.managedFields; absent where there is
	// no object yet.
	Value   document.Value
	Managed Managed
}

// Engine is the structured merge beneath a Manager: this project's own, or the
// one in the package reference.
type Engine = structured.Engine

// Config says what a Manager serves. APIVersion, Kind and Type are needed.
type Config struct {
	// APIVersion and Kind of the requests, such as "apps/v1" and "Deployment".
	// For a subresource with a kind of its own (scale) they are that kind's.
	APIVersion, Kind string
	Type             *schema.Type
	// Custom says that the kind is a custom resource. An entry in an apiVersion
	// that does not exist then fails the request, where that of a built-in kind
	// is dropped, and `managedFields: []` does not reset.
	Custom bool
	// Subresource is the subresource served, "" for the main resource.
	Subresource string
	// Other returns the kind's type in another apiVersion that an entry may
	// have, nil where there is none such. A nil function knows no other.
	Other func(apiVersion string) *schema.Type
	// Convert returns an object in another apiVersion of its kind. A nil
	// function changes apiVersion alone, as conversion strategy None does.
	Convert func(object document.Value, apiVersion string) (document.Value, error)
	// Reset says which fields requests to this resource do not change, by
	// apiVersion: nobody comes to own them here.
	Reset map[string]ResetFields
	// Empty is an object of the kind as it is before its first request: for a
	// built-in kind its Go type's zero value as JSON, for a custom one
	// apiVersion and kind, which is what an absent value means.
	Empty document.Value
	// Finish completes the object that an apply merged, at the time of the
	// request: the API server decodes it into a Go type and fills in defaults.
	// It is not called if the merge changed nothing. nil does nothing.
	Finish func(merged document.Value, at time.Time) (document.Value, error)
	// Engine is the structured merge to use, nil for this project's own.
	Engine Engine
}

// ResetFields says which fields a resource resets to their old values, so that
// a request does not come to own them. Paths are dotted names.
type ResetFields struct {
	// Except are fields that nobody comes to own, with all that is below.
	Except []string
}

// A Manager applies and tracks changes of objects of one kind. It is immutable
// and safe for concurrent use.
type Manager struct {
	config   Config
	types    structured.Types
	engine   Engine
	observer Observer
}
