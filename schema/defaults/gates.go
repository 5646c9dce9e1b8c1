package defaults

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// disabled is the file of rules/ that takes away the fields of features that are
// off. They apply at create and update only, and not where a stored object has
// such a field already.
const disabled = "disabled.rules"

// withoutDisabled returns v without the fields of features that are off.
func (r *Rules) withoutDisabled(k *schema.Kind, v, live document.Value) document.Value {
	p := r.off.plan(k.Type())
	if p == nil {
		return v
	}
	var f filler
	if live.Exists() && !document.SameNode(f.walk(p, live), live) {
		return v
	}
	return f.walk(p, v)
}
