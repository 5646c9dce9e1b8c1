package defaults

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// disabled is the rule file that drops the fields of disabled features. It applies on
// create and update only, and not if the stored object already uses the feature.
const disabled = "disabled.rules"

// withoutDisabled returns v without the fields of disabled features. An update keeps the
// fields of features that live uses; this is determined only if v would lose a field.
func (r *Rules) withoutDisabled(k *schema.Kind, v, live document.Value) document.Value {
	p := r.off.plan(k.Type())
	if p == nil {
		return v
	}
	f := filler{update: live.Exists()}
	out := f.walk(p, v, live)
	if document.SameNode(out, v) || !live.Exists() {
		return out
	}
	used := filler{options: Options{Observe: func(x Filled) {
		if f.skip == nil {
			f.skip = map[string]bool{}
		}
		f.skip[x.Rule.Feature] = true
	}}}
	used.walk(p, live, document.Value{})
	if f.skip == nil {
		return out
	}
	return f.walk(p, v, live)
}
