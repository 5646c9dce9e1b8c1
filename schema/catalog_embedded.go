//go:build !catalogfile

package schema

import _ "embed" // the catalog

//go:embed catalog.bin
var embedded string

// catalogData returns the catalog of the built-in kinds.
func catalogData() string { return embedded }
