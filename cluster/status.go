package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
)

// Status is a failure as the API server tells it: the Status kind of
// meta.k8s.io/v1. Every error of this package is a *Status, to be found with
// errors.As.
type Status struct {
	// Code is the HTTP status code.
	Code int
	// Reason is the machine-readable reason, such as NotFound; empty where the
	// API server gives none.
	Reason  string
	Message string
	// Details says what the failure is about, nil where the API server says
	// nothing.
	Details *StatusDetails
	// Continue is a token to go on with where that of a list had become too old:
	// what it leads to is of another time than the pages before.
	Continue string
	// Warnings are texts for Warning headers that go with the failure, as those of
	// [Response.Warnings].
	Warnings []string
	// Err is what went wrong beneath, nil where there is nothing more to say.
	Err error
}

// StatusDetails are the details of a Status.
type StatusDetails struct {
	Group, Kind, Name, UID string
	Causes                 []Cause
	RetryAfterSeconds      int
}

// Cause is one of several reasons of a failure. Type, Message and Field are what
// the API server answers with (Type under the name "reason"); the rest is for
// programs that run the pipeline themselves.
type Cause struct {
	Type, Message, Field string
	// Path leads to the field that Field names; nil where Field is no field of
	// the object, such as an option of the request.
	Path document.Path
	// Value is the value that is wrong, absent where it is not known.
	Value document.Value
	// Hint is advice that the API server does not give; may be empty.
	Hint string
	// Rule is the name of the rule that refuses the field (doc/rules.md). Only
	// Status.Fields sets it.
	Rule string
}

// warning returns the failure with warnings in front of those it has. nil stays nil.
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

// Unwrap returns the error beneath, which may be nil.
func (s *Status) Unwrap() error { return s.Err }

// Object returns the Status as the API server prints it.
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
	if s.Details != nil {
		b.Set("details", s.Details.object())
	}
	b.Set("code", document.NewInt(int64(s.Code)))
	return b.Object()
}

func (d *StatusDetails) object() document.Value {
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
