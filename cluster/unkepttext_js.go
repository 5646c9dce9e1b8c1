//go:build js

package cluster

import "github.com/patchlab-dev/patchlab/document"

// countedAsChanged returns nothing: the complete engine of a browser leaves it out for its size.
func (t *task) countedAsChanged(_, _ document.Value) []document.Path { return nil }
