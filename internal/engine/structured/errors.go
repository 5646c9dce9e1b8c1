package structured

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
)

// ErrType says that an object does not fit its type.
var ErrType = errors.New("does not fit the schema")

// Configuration is the Object of errors about an applied configuration.
const Configuration = "the applied configuration"

// Two of the reasons of a TypeError, by which they are told from others.
const (
	ReasonNoField = "the schema has no such field"
	ReasonTwice   = "the list holds this item twice"
)

// A TypeError says where an object does not fit its type, and why.
type TypeError struct {
	Object string // which object: "the live object"; may be empty
	Path   document.Path
	Reason string
}

func (e *TypeError) Error() string {
	s := e.Reason
	if len(e.Path) > 0 {
		s = e.Path.String() + ": " + s
	}
	if e.Object != "" {
		s = e.Object + " does not fit the schema of its kind: " + s
	}
	return s
}

// Unwrap returns ErrType.
func (e *TypeError) Unwrap() error { return ErrType }
