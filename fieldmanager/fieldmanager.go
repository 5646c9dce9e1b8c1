// Package fieldmanager applies configurations as server-side apply does
// (KEP-555) and keeps metadata.managedFields, which record who owns which field
// of an object.
//
// [For] makes the [Manager] of a kind as kube-apiserver has it. [Split] takes an
// object apart into its value and its [Managed] fields. [Manager.Apply] merges a
// configuration, and [Manager.Update] tracks what any other request changed; both
// return an [Object], which [Object.Join] puts together again:
//
//	live, err := fieldmanager.Split(object)
//	after, err := m.Apply(live, config, fieldmanager.ApplyOptions{FieldManager: "gitops", Time: time.Now()})
//	var conflicts *fieldmanager.Conflicts
//	if errors.As(err, &conflicts) { … }
//	object = after.Join()
//
// [Managed.Owners] returns the owners of a field, [Manager.Extract] what a manager
// applied, and [Managed.Migrate] hands the fields of client-side apply over to
// server-side apply.
//
// The measure is kube-apiserver 1.36. doc/ownership.md explains the rules and
// their sources. Everything here is immutable and safe for concurrent use; parts
// that the objects of a call share (document.SameNode) are not compared.
package fieldmanager

import (
	"errors"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// Causes of errors, to be found with errors.Is, with the status code of the API
// server's answer.
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
	// ErrVersion: managedFields has an entry in an apiVersion that the kind does
	// not have (500).
	ErrVersion = errors.New("no such version")
)

// Object is an object and its managed fields.
type Object struct {
	// Value is the object without metadata.managedFields; absent if there is no
	// object yet.
	Value   document.Value
	Managed Managed
}

// Engine is the structured merge that a Manager uses. This project has two: its
// own, which is the default, and that of structured-merge-diff in package
// reference. Engines cannot be implemented outside this module.
type Engine interface{ structured.Engine }

// Config describes the requests that a Manager serves. APIVersion, Kind and Type
// are required. ConfigFor returns the Config of kube-apiserver for a kind; without
// Reset, Empty and Finish a Manager answers otherwise than the API server.
type Config struct {
	// APIVersion and Kind of the objects in requests, such as "apps/v1" and
	// "Deployment". For the subresource scale they are autoscaling/v1 and Scale.
	APIVersion, Kind string
	Type             *schema.Type
	// Custom is set for custom resources. An entry in an apiVersion that the
	// kind does not have fails the request then; for a built-in kind it is
	// dropped. And managedFields: [] does not remove the managers.
	Custom bool
	// Subresource that requests go to, "" for the object itself.
	Subresource string
	// Other returns the kind's type in another apiVersion, nil if the kind does
	// not have it. A nil function knows no other version.
	Other func(apiVersion string) *schema.Type
	// Convert returns an object in another apiVersion of its kind. A nil
	// function changes only apiVersion, as conversion strategy None does.
	Convert func(object document.Value, apiVersion string) (document.Value, error)
	// Reset holds the fields that requests do not change, by apiVersion. No
	// request comes to own them.
	Reset map[string]ResetFields
	// Empty is an object of the kind before its first request: for a built-in
	// kind its Go type's zero value as JSON, for a custom one apiVersion and
	// kind. An absent value means the latter.
	Empty document.Value
	// Finish completes the object that an apply merged, at the time of the
	// request: the API server decodes it into a Go type and fills in defaults.
	// It is not called if the merge changed nothing. nil does nothing.
	Finish func(merged document.Value, at time.Time) (document.Value, error)
	// Engine is the structured merge to use, nil for this project's own.
	Engine Engine
}

// ResetFields are fields that a resource sets back to their live values in every
// request (the API server's GetResetFields).
type ResetFields struct {
	// Except lists the fields as dotted names, such as "status" or
	// "metadata.labels". They include everything below.
	Except []string
}

// Manager applies configurations to the objects of one kind and tracks changes
// of them. The methods of a zero Manager return errors.
type Manager struct {
	config   Config
	types    structured.Types
	engine   Engine
	observer Observer
}
