package cluster

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A BodyError reports that the body of a request cannot be decoded: that its text is not valid, or that its value, or that
// of its apiVersion or kind, has another type than the wanted one.
type BodyError struct {
	// Body is the text, and Format its format.
	Body   []byte
	Format Format
	// Kind is the kind of object that the body must be; "" for patches and for options of deletions.
	Kind string
	// Lenient reports that unknown fields are ignored. kube-apiserver then decodes patches in another way.
	Lenient bool
	// Member is the member of the patched object, apiVersion or kind, whose Value is not a string; "" if the error is
	// about the body itself.
	Member string
	Value  document.Value
	// Message is the last part of the message of the Status: what is wrong.
	Message string
	Err     error
}

// Error returns Message.
func (e *BodyError) Error() string { return e.Message }

// Unwrap returns Err.
func (e *BodyError) Unwrap() error { return e.Err }

// A ResultError reports that the result of a JSON or merge patch cannot be decoded. The message of the Status quotes the
// result.
type ResultError struct {
	// Live is the patched object, whose kind is Kind, and Patch is the text of the patch.
	Live   document.Value
	Kind   *schema.Kind
	Patch  []byte
	Format Format
	// Result is the result as the message quotes it.
	Result string
	Err    error
}

// Error returns the message of Err.
func (e *ResultError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ResultError) Unwrap() error { return e.Err }

// bodyError returns the error for a body that cannot be decoded because of err.
func (t *task) bodyError(message string, err error) *BodyError {
	e := &BodyError{Body: t.text(), Format: t.Format, Lenient: t.strictness() == validateIgnore, Message: message, Err: err}
	if t.Document != nil && e.Format == YAML {
		e.Format = JSON
	}
	return e
}

// syntaxStatus returns the error for a body that cannot be parsed: what, and why the parser failed.
func syntaxStatus(what string, why *BodyError) *Status {
	if errors.Is(why, document.ErrTooLarge) {
		return tooLarge(what + why.Message)
	}
	st := badRequest(what + why.Message)
	st.Err = why
	return st
}
