package fieldmanager

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
)

// resetter holds the fields that a resource resets, by apiVersion.
type resetter map[string]fieldset.Set

func newResetter(fields map[string][]string) resetter {
	r := resetter{}
	for version, names := range fields {
		paths := make([]document.Path, len(names))
		for i, name := range names {
			paths[i] = document.Keys(strings.Split(name, ".")...)
		}
		r[version] = fieldset.Of(paths...)
	}
	return r
}

func (r resetter) ignore(version string, s fieldset.Set) fieldset.Set {
	return s.MinusBelow(r[version])
}
