//go:build catalogfile

package schema

import "github.com/patchlab-dev/patchlab/internal/engine/builtin"

// catalogData returns the catalog that the program has loaded: a page loads it beside the
// engine, at the same time.
func catalogData() string { return builtin.Catalog }
