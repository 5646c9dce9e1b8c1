package patch

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
)

// maxSpliced is the maximum length of a JSON patch for which splice is tried.
const maxSpliced = 4 << 10

// splice handles the most frequent JSON patch, a single replace of an existing value, by
// replacing part of the object's text. If it returns false, nothing has happened; the
// general implementation then applies the patch or determines the error.
func (r *Request) splice(object, patch []byte) ([]byte, bool) {
	if r.Observer != nil || r.Engine != nil || len(patch) > maxSpliced {
		return nil, false
	}
	// Text formatted by people is rarely in printed form.
	if len(object) < 2 || object[0] != '{' || object[1] != '"' || len(patch) == 0 || patch[0] != '[' {
		return nil, false
	}
	change, err := readOne(patch, document.Options{MaxBytes: r.MaxBytes})
	if err != nil || r.choose(change.Root) != TypeJSON {
		return nil, false
	}
	ops, err := operations(change.Root, r.Options)
	if err != nil || len(ops) != 1 || ops[0].op != "replace" || !strings.HasPrefix(ops[0].path, "/") {
		return nil, false
	}
	tokens := slices.Collect(jsonpointer.Tokens(ops[0].path))
	return document.ReplaceIn(object, tokens, ops[0].value, document.Options{MaxBytes: r.MaxBytes})
}
