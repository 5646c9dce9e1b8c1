// Package fieldmanager implements server-side apply (KEP-555) and maintains
// metadata.managedFields, which records the owners of an object's fields.
//
// [For] returns the [Manager] of a kind with kube-apiserver's configuration. [Split] splits
// an object into its value and its decoded [Managed] fields. [Manager.Apply] merges a
// configuration, and [Manager.Update] tracks the changes of any other request; both return
// an [Object], which [Object.Join] encodes again:
//
//	live, err := fieldmanager.Split(object)
//	after, err := m.Apply(live, config, fieldmanager.ApplyOptions{FieldManager: "gitops", Time: time.Now()})
//	var conflicts *fieldmanager.Conflicts
//	if errors.As(err, &conflicts) { … }
//	object = after.Join()
//
// [Managed.Owners] returns the owners of a field, [Manager.Extract] returns the
// configuration that a manager applied, and [Managed.Migrate] transfers fields from
// client-side to server-side apply.
//
// The reference is kube-apiserver 1.36; doc/ownership.md explains the rules and their
// sources. All types are immutable and safe for concurrent use. Parts that the objects of a
// call share (document.SameNode) are not compared.
package fieldmanager

import (
	"errors"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// The causes of errors, for use with errors.Is, with the API server's status code.
var (
	// ErrConflict: other managers own fields that an apply would change (409). The error is
	// a *Conflicts.
	ErrConflict = errors.New("conflict")
	// ErrType: an object does not match the type of its kind: a wrong type, an unknown
	// field, a duplicate item (500 without a reason).
	ErrType = structured.ErrType
	// ErrManagedFields: the managedFields of the live object cannot be decoded (500 without
	// a reason).
	ErrManagedFields = errors.New("invalid managedFields")
	// ErrRequest: the request has no field manager, or the configuration has another kind
	// or version or has managedFields (400). Such an error is a *RequestError.
	ErrRequest = errors.New("invalid apply request")
	// ErrName: the name or namespace in the configuration is not that of the live object
	// (400).
	ErrName = errors.New("name mismatch")
	// ErrVersion: a managedFields entry has an apiVersion that does not serve the kind
	// (500). The text is that of kube-apiserver.
	ErrVersion = errors.New("request to convert CR to an invalid group/version")
)

// RequestError is an error that wraps ErrRequest.
type RequestError struct {
	// Detail is the message of the API server, which does not name the class of the error.
	Detail string
	// Path is the field of the configuration that is refused; nil for the request as a whole.
	Path document.Path
}

func (e *RequestError) Error() string { return ErrRequest.Error() + ": " + e.Detail }

// Unwrap returns ErrRequest.
func (e *RequestError) Unwrap() error { return ErrRequest }

// Object is an object with its decoded managed fields.
type Object struct {
	// Value is the object without metadata.managedFields; absent if it does not exist yet.
	Value   document.Value
	Managed Managed
}

// Engine is the structured merge implementation of a Manager. There are two: patchlab's
// own, which is the default, and structured-merge-diff in package reference. Engines cannot
// be implemented outside this module.
type Engine interface{ structured.Engine }

// Config configures a Manager. APIVersion, Kind and Type are required. ConfigFor returns
// kube-apiserver's Config for a kind; without Reset, Empty and Finish the results differ
// from those of the API server.
type Config struct {
	// APIVersion and Kind are those of the objects in requests, such as "apps/v1" and
	// "Deployment"; for the scale subresource, "autoscaling/v1" and "Scale".
	APIVersion, Kind string
	Type             *schema.Type
	// Custom is set for custom resources. For these, a managedFields entry with an
	// apiVersion that does not serve the kind is an error, whereas for a built-in kind it
	// is dropped; and managedFields: [] does not remove the managers.
	Custom bool
	// Subresource is the subresource of the requests, "" for the object itself.
	Subresource string
	// Other returns the kind's type in another apiVersion, or nil if that does not serve
	// the kind. A nil function means that there are no other versions.
	Other func(apiVersion string) *schema.Type
	// Convert converts an object to another apiVersion of its kind. A nil function only
	// sets apiVersion, like the conversion strategy None.
	Convert func(object document.Value, apiVersion string) (document.Value, error)
	// Reset holds the fields that a resource resets to their live values in every request, by
	// apiVersion (the API server's GetResetFields). Requests never own them. They are dotted names,
	// such as "status" or "metadata.labels", and include everything below.
	Reset map[string][]string
	// Empty is the object before its first request: for a built-in kind the JSON form of
	// its Go type's zero value, for a custom one apiVersion and kind, which is the default.
	Empty document.Value
	// Finish completes the merged object of an apply at the time of the request, as the API
	// server does by decoding it into a Go type and defaulting it. It is not called if the
	// merge changed nothing. It may be nil.
	Finish func(merged document.Value, at time.Time) (document.Value, error)
	// Engine is the structured merge implementation; nil is patchlab's own.
	Engine Engine
}

// Manager applies configurations to the objects of one kind and tracks their changes. The
// methods of a zero Manager return errors.
type Manager struct {
	config   Config
	types    structured.Types
	engine   Engine
	observer Observer
}
