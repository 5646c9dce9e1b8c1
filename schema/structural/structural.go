// Package structural prunes, defaults and validates objects by their
// [schema.Type], as kube-apiserver does with custom resources
// (k8s.io/apiextensions-apiserver). Objects are never changed: what comes back
// shares all that stayed, and is the very object where nothing changed.
//
// Validation rules in CEL (x-kubernetes-validations) are not evaluated.
package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Prune drops the members of v that t does not know, and returns their paths in
// the order of v. apiVersion, kind and metadata at the root and in embedded
// objects are kept whatever t says.
func Prune(t *schema.Type, v document.Value) (document.Value, []document.Path) { return v, nil }

// Default fills in the defaults of missing members. A null on a member that is
// not nullable and has a default is replaced by the default.
func Default(t *schema.Type, v document.Value) document.Value { return v }

// Options say how Validate validates.
type Options struct {
	// Old is the object before an update, absent on create. What is as it was
	// is not an error again (ratcheting, Kubernetes 1.33).
	Old document.Value
}

// Validate says what is wrong with v by the rules of t, in the order of
// kube-apiserver's messages where that has one. Metadata of the root is not
// looked at.
func Validate(t *schema.Type, v document.Value, o Options) []FieldError { return nil }

// FieldError is one thing that is wrong with an object.
type FieldError struct {
	Type ErrorType
	Path document.Path
	// BadValue is the value that is wrong, absent where none is told.
	BadValue document.Value
	// Detail says why.
	Detail string
}

// ErrorType says what is wrong; the text is the reason in a Status' causes.
type ErrorType string

// The types of errors.
const (
	NotFound     ErrorType = "FieldValueNotFound"
	Required     ErrorType = "FieldValueRequired"
	Duplicate    ErrorType = "FieldValueDuplicate"
	Invalid      ErrorType = "FieldValueInvalid"
	NotSupported ErrorType = "FieldValueNotSupported"
	Forbidden    ErrorType = "FieldValueForbidden"
	TooLong      ErrorType = "FieldValueTooLong"
	TooMany      ErrorType = "FieldValueTooMany"
	TypeInvalid  ErrorType = "FieldValueTypeInvalid"
)

// Error returns the message as kube-apiserver words it:
// `spec.replicas: Invalid value: -1: should be greater than or equal to 0`.
func (e FieldError) Error() string { return e.Field() + ": " + e.Body() }

// Field returns the path as kube-apiserver's messages and causes write it:
// spec.ports[0].name, metadata.labels[a/b].
func (e FieldError) Field() string { return "" }

// Body returns the message without the field, as in a Status' causes.
func (e FieldError) Body() string { return e.Detail }

// FieldPath writes a path as kube-apiserver's field errors do, without a leading dot; the
// type tells fields (.name) from keys of maps ([name]).
func FieldPath(t *schema.Type, p document.Path) string { return "" }
