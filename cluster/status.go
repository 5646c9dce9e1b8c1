package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
)

// Status is a failure as the API server reports it (metav1.Status). Every error of this
// package is a *Status, to be found with errors.As.
type Status struct {
	// Code is the HTTP status code.
	Code int
	// Reason is the machine-readable reason, such as NotFound; empty if the API server gives
	// none.
	Reason  string
	Message string
	// Details identify the object and the causes of the failure; nil if the API server gives
	// none.
	Details *StatusDetails
	// Continue is a token with which to continue a list whose own token has expired. The
	// remaining items are then those of the current state, and not of the state of the earlier
	// pages.
	Continue string
	// Warnings are the texts of Warning headers that go with the failure, as in [Response].
	Warnings []string
	// Err is the underlying error, or nil.
	Err error
}

// StatusDetails are the details of a Status (metav1.StatusDetails).
type StatusDetails struct {
	Group, Kind, Name, UID string
	Causes                 []Cause
	RetryAfterSeconds      int
}

// Cause is one of the causes of a failure (metav1.StatusCause). Type, Message and Field are
// part of the API server's response, in which Type is called "reason". The other fields are
// for programs that use this package.
type Cause struct {
	Type, Message, Field string
	// Path is the parsed form of Field; nil if Field is not a field of the object, such as an
	// option of the request.
	Path document.Path
	// Value is the invalid value, absent if it is not known.
	Value document.Value
	// Hint is advice beyond the API server's message; it may be empty.
	Hint string
	// Rule is the name of the rule that refuses the field (doc/rules.md). Only Status.Fields
	// sets it.
	Rule string

	immutable bool // the field cannot be changed once it is set
}

// warning returns the failure with further warnings before its own. A nil Status stays nil.
func (s *Status) warning(texts []string) *Status {
	if s == nil || len(texts) == 0 {
		return s
	}
	with := *s
	with.Warnings = append(append([]string{}, texts...), s.Warnings...)
	return &with
}

// Error returns the message.
func (s *Status) Error() string { return s.Message }

// Unwrap returns Err.
func (s *Status) Unwrap() error { return s.Err }

// Object returns the Status as the API server encodes it.
func (s *Status) Object() document.Value {
	var b document.ObjectBuilder
	b.Set("kind", document.NewString("Status"))
	b.Set("apiVersion", document.NewString("v1"))
	var metadata document.ObjectBuilder
	metadata.SetNonEmpty("continue", s.Continue)
	b.Set("metadata", metadata.Object())
	b.Set("status", document.NewString("Failure"))
	b.SetNonEmpty("message", s.Message)
	b.SetNonEmpty("reason", s.Reason)
	b.Set("details", s.Details.object())
	b.Set("code", document.NewInt(int64(s.Code)))
	return b.Object()
}

// object returns the details as the API server encodes them, absent for nil.
func (d *StatusDetails) object() document.Value {
	if d == nil {
		return document.Value{}
	}
	var b document.ObjectBuilder
	b.SetNonEmpty("name", d.Name)
	b.SetNonEmpty("group", d.Group)
	b.SetNonEmpty("kind", d.Kind)
	b.SetNonEmpty("uid", d.UID)
	if len(d.Causes) > 0 {
		var causes document.ListBuilder
		for _, c := range d.Causes {
			var cause document.ObjectBuilder
			cause.SetNonEmpty("reason", c.Type)
			cause.SetNonEmpty("message", c.Message)
			cause.SetNonEmpty("field", c.Field)
			causes.Append(cause.Object())
		}
		b.Set("causes", causes.List())
	}
	if d.RetryAfterSeconds > 0 {
		b.Set("retryAfterSeconds", document.NewInt(int64(d.RetryAfterSeconds)))
	}
	return b.Object()
}
