package fieldmanager

import (
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
)

// A resetter takes from field sets what a resource resets, by version.
type resetter map[string]Set

func newResetter(config map[string]ResetFields) resetter {
	r := resetter{}
	for version, f := range config {
		var s Set
		for _, name := range f.Except {
			s = s.Union(fieldset.Of(fieldset.Fields(strings.Split(name, ".")...)))
		}
		r[version] = s
	}
	return r
}

func (r resetter) ignore(version string, s Set) Set { return s.MinusBelow(r[version]) }
