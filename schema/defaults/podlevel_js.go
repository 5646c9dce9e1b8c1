//go:build js && !complete

package defaults

import "github.com/patchlab-dev/patchlab/document"

// The page's first engine leaves pod-level resources as they are, which keeps it within its
// budget (web/budget.json). The complete engine, which replaces it, completes them.

func (r *Rules) completed(spec document.Value) document.Value { return spec }

func (r *Rules) keptResources(spec, _ document.Value) document.Value { return spec }
