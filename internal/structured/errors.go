package structured

import "errors"

// ErrType says that an object does not fit its type.
var ErrType = errors.New("does not fit the schema")

// A TypeError says where an object does not fit its type, and why.
type TypeError struct {
	Path   string // such as .spec.containers[name="web"].ports; "" for the root
	Reason string
}

func (e *TypeError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// Unwrap returns ErrType.
func (e *TypeError) Unwrap() error { return ErrType }
