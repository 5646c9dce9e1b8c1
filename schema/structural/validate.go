package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options say how Validate validates.
type Options struct {
	// Old is the object before an update, absent on create. What is as it was
	// is not an error again (ratcheting, Kubernetes 1.33).
	Old document.Value
}

// Validate says what is wrong with v by the rules of t.
func Validate(t *schema.Type, v document.Value, o Options) []schema.FieldError { return nil }
