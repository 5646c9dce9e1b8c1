// Made from reference/types.go by the test of this package with -update. DO NOT EDIT.

package smd4

import (
	"sigs.k8s.io/structured-merge-diff/v4/typed"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/test/smd4/parseable"
)

// types are the types in the library's form.
type types struct{ parseable.Types }

// typed returns a validated object with its type.
func (ts *types) typed(t *schema.Type, v document.Value, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return ts.Of(t).FromUnstructured(govalue.Of(v), opts...)
}
