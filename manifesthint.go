//go:build !js

package patchlab

import (
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// manifestHint returns advice on a field that is invalid although nothing is wrong with what the
// manifest has there: it is too large for client-side apply, a key has no value, its variables are
// replaced by a tool that was not used, or the live object has more items. It returns "" for any other
// field.
func (w *write) manifestHint(f FieldError) string {
	switch {
	case w.change.Action == ActionClientApply && f.Field == "metadata.annotations" && strings.HasPrefix(f.Message, "Too long"):
		return "the last-applied annotation contains the whole manifest; 'kubectl apply --server-side' does not write it"
	case w.Value.Follow(f.Path).IsNull():
		return "the value is null, as YAML reads a key without a value; remove the key or give it a value"
	}
	if text, _ := w.Value.Follow(f.Path).Text(); strings.Contains(text, "${") && strings.Contains(text, "}") {
		return "this contains a variable; replace it first, for example with 'flux envsubst'"
	}
	return w.keptItem(f.Path)
}

// keptItem returns advice on an invalid field in an item of a list that has fewer items in the manifest:
// the others are those of the live object that the apply does not remove. It returns "" for any other
// field.
func (w *write) keptItem(path document.Path) string {
	if w.live == nil || w.change.Action != ActionApply && w.change.Action != ActionClientApply {
		return ""
	}
	for n, step := range path {
		i, ok := step.Index()
		if !ok {
			continue
		}
		list := path[:n]
		if w.Value.Follow(list).Len() <= i && w.live.Value.Follow(list).Len() > 0 {
			return fmt.Sprintf("%[1]s has fewer items in the manifest; the apply keeps others of the live object, whose owners 'patchlab blame LIVE --path %[1]s' shows", list)
		}
	}
	return ""
}
