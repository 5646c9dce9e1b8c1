package fieldmanager

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
)

// resetter holds the fields that a resource resets, by apiVersion.
type resetter map[string]fieldset.Set

func newResetter(config map[string]ResetFields) resetter {
	r := resetter{}
	for version, f := range config {
		var s fieldset.Set
		for _, name := range f.Fields {
			s = s.Union(fieldset.Of(document.Keys(strings.Split(name, ".")...)))
		}
		r[version] = s
	}
	return r
}

func (r resetter) ignore(version string, s fieldset.Set) fieldset.Set {
	return s.MinusBelow(r[version])
}
