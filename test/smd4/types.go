// Made from reference/types.go by the test of this package with -update. DO NOT EDIT.

package smd4

import (
	"sync"

	"sigs.k8s.io/structured-merge-diff/v4/typed"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/test/smd4/parseable"
)

// types caches the library's form of types.
type types struct {
	mu    sync.Mutex
	known map[*schema.Type]*typed.ParseableType
}

func newTypes() *types { return &types{known: map[*schema.Type]*typed.ParseableType{}} }

// typed returns a validated object with its type.
func (ts *types) typed(t *schema.Type, v document.Value, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return ts.of(t).FromUnstructured(govalue.Of(v), opts...)
}

func (ts *types) of(t *schema.Type) *typed.ParseableType {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if p, ok := ts.known[t]; ok {
		return p
	}
	p := parseable.Of(t)
	ts.known[t] = p
	return p
}
