package structured

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
)

// ErrType is the cause of a TypeError.
var ErrType = errors.New("does not match the schema")

// Configuration is the Object of errors about an applied configuration.
const Configuration = "the applied configuration"

// Reasons of a TypeError that callers check for.
const (
	ReasonNoField = "field not declared in schema"
	ReasonTwice   = "duplicate item in the list"
	// ReasonNoObject precedes a description of the item.
	ReasonNoObject = "an item of a list with keys must be an object"
)

// TypeError reports that an object does not match its type.
type TypeError struct {
	Object string // the object, such as "the live object"; may be empty
	Path   document.Path
	Reason string
	// Root is the object, absent where the error was not reported by an Engine.
	Root document.Value
	// Step is the step of structured-merge-diff that fails, in the words in which the
	// API server reports it, such as "failed to convert new object: ".
	Step string
}

func (e *TypeError) Error() string {
	s := e.Reason
	if len(e.Path) > 0 {
		s = e.Path.String() + ": " + s
	}
	if e.Object != "" {
		s = e.Object + " does not match the schema of its kind: " + s
	}
	return s
}

// Unwrap returns ErrType.
func (e *TypeError) Unwrap() error { return ErrType }

// inStep adds the step that failed to a TypeError.
func inStep(step string, err error) error {
	var t *TypeError
	if !errors.As(err, &t) {
		return err
	}
	e := *t
	e.Step = step + ": " + e.Step
	return &e
}
