package inputs

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// maxNesting is the maximum nesting depth of objects in commands that list fields. The API server
// accepts 10,000 levels. There, the paths of all fields of an object of 50 KB take gigabytes, because each
// contains those of the fields around it.
const maxNesting = 1000

// TooNested returns an error for the first object that nests deeper than maxNesting.
func TooNested(objects []manifest.Object) error {
	for _, o := range objects {
		if nests(o.Value, maxNesting) {
			return fmt.Errorf("%s: lists and objects nest deeper than %d levels, the limit of the commands that list fields", o.Position(), maxNesting)
		}
	}
	return nil
}

// nests reports whether a value has more than a number of levels.
func nests(v document.Value, levels int) bool {
	switch v.Kind() {
	case document.Object:
		for _, member := range v.Members() {
			if levels == 0 || nests(member, levels-1) {
				return true
			}
		}
	case document.List:
		for _, item := range v.Items() {
			if levels == 0 || nests(item, levels-1) {
				return true
			}
		}
	}
	return false
}
