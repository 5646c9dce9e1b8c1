//go:build js && catalogfile

package patchlab

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/schema"
)

// addFiles returns an error if there are files. The engines of the playground, which are built with
// the tag catalogfile, have none: the code that finds and reads files would be 36 KB of the
// compressed engine.
func addFiles(_ *schema.Registry, o *Options) error {
	if o.CRDs == nil && o.OpenAPI == nil {
		return nil
	}
	return fmt.Errorf("%w: this program reads no files; add the kinds to Options.Kinds", ErrInput)
}
