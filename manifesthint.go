//go:build !js

package patchlab

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// manifestHint returns advice on a field that is invalid although nothing is wrong with what the
// manifest has there: it is too large for client-side apply, a key has no value, it is encrypted, the apply
// empties it, or the live object has more items or fields. Of a duplicate item, it is where the items are. It
// returns "" for any other field.
func (w *write) manifestHint(f FieldError, places *locator) string {
	switch {
	case f.Message == structured.Duplicate:
		return w.duplicates(f.Path, places)
	case w.change.Action == ActionClientApply && f.Field == "metadata.annotations" && strings.HasPrefix(f.Message, "Too long"):
		return "the last-applied annotation contains the whole manifest; 'kubectl apply --server-side' does not write it"
	case w.Value.Follow(f.Path).IsNull() && !w.keeps(f.Path):
		return "the value is null, as YAML reads a key without a value; remove the key or give it a value"
	case w.change.Action == ActionApply && strings.HasPrefix(f.Message, `Invalid value: "null"`) && isEmptyParent(w.Value.Follow(f.Path)):
		return "the manifest has it empty, and where an apply removes the last field or item it leaves null; omit it from the manifest"
	}
	if v := w.Value.Follow(f.Path); isEncrypted(v) || isEncrypted(v.Get("mac")) {
		return "this is encrypted by SOPS; decrypt the file first, for example with 'sops decrypt'"
	}
	return cmp.Or(w.keptItem(f.Path), w.keptField(f))
}

// duplicates names the items of a list that have the same key, of which the position of the error is the first.
func (w *write) duplicates(path document.Path, places *locator) string {
	const most = 5
	list, indices := places.Repeated(path)
	if len(indices) == 0 {
		return ""
	}
	var items []string
	for _, i := range indices[:min(len(indices), most)] {
		text := document.Path{}.Item(i).String()
		if at := w.Object.Locate(list.Item(i)); at.Line > 0 {
			text = fmt.Sprintf("%s in line %d", text, at.Line)
		}
		items = append(items, text)
	}
	if more := len(indices) - most; more > 0 {
		items = append(items, fmt.Sprintf("%d more", more))
	}
	return "the items " + strings.Join(items, " and ") + " have this key"
}

// hookHint returns advice on a manifest that Helm or Argo CD does not send as a change, "" for any other: the Jobs of
// hooks have another template in each version.
func (w *write) hookHint() string {
	switch annotations := w.Value.Lookup("metadata", "annotations"); {
	case annotations.Get("helm.sh/hook").Exists():
		return "\nthe manifest is a Helm hook, which Helm deletes and creates anew instead of changing it; 'helm template --no-hooks' leaves it out"
	case annotations.Get("argocd.argoproj.io/hook").Exists():
		return "\nthe manifest is a hook of Argo CD, which deletes and creates it anew instead of changing it, unless its hook-delete-policy is another"
	}
	return ""
}

// isEncrypted reports whether a value is a text that SOPS has encrypted.
func isEncrypted(v document.Value) bool { return strings.HasPrefix(v.StringOr(""), "ENC[") }

// isEmptyParent reports whether a value is an object without fields or a list without items.
func isEmptyParent(v document.Value) bool {
	return (v.Kind() == document.Object || v.Kind() == document.List) && v.Len() == 0
}

// keptItem returns advice on an invalid field in an item of a list that has fewer items in the manifest:
// the others are those of the live object that the apply does not remove. It returns "" for any other
// field, such as one of the status, which the endpoint of the object itself resets to that of the live object.
func (w *write) keptItem(path document.Path) string {
	if w.live == nil || w.change.Action != ActionApply && w.change.Action != ActionClientApply {
		return ""
	}
	for _, field := range w.resets() {
		if path.HasPrefix(document.Keys(strings.Split(field, ".")...)) {
			return ""
		}
	}
	for n, step := range path {
		i, ok := step.Index()
		if !ok {
			continue
		}
		list := path[:n]
		if w.Value.Follow(list).Len() <= i && w.live.Value.Follow(list).Len() > 0 {
			key := list.String()
			if w.kept[key] == "" {
				w.kept = map[string]string{key: w.keptItems(list)}
			}
			return fmt.Sprintf("%s has fewer items in the manifest; the apply keeps %s; 'patchlab diff LIVE PATCH' shows patches that remove such items", list, w.kept[key])
		}
	}
	return ""
}

// keptItems names the items of a keyed list or a set that the live object has, the manifest omits and another manager
// owns: at most three of them, each with its owners. A client-side apply asks for no owners, so that its items are not named.
func (w *write) keptItems(list document.Path) string {
	const unnamed = "others of the live object"
	t := w.kind.Type().At(list)
	if w.change.Action != ActionApply || t == nil || t.List == nil {
		return unnamed
	}
	wanted := map[string]bool{} // by element
	for _, item := range w.Value.Follow(list).Items() {
		element, _ := structured.ItemElement(t.List, item)
		wanted[element] = true
	}
	var kept []string
	for _, item := range w.live.Value.Follow(list).Items() {
		element, ok := structured.ItemElement(t.List, item)
		if !ok || wanted[element] {
			continue
		}
		wanted[element] = true // a duplicate is named once
		path := list.Join(fieldset.Step(element))
		var owners []string
		for _, e := range w.live.Managed.Owners(path) {
			if e.Manager != w.change.FieldManager || e.Operation != fieldmanager.OperationApply {
				owners = append(owners, strconv.Quote(e.Manager))
			}
		}
		if len(owners) > 0 {
			kept = append(kept, fmt.Sprintf("%s of %s", path, strings.Join(owners, " and ")))
		}
	}
	switch n := len(kept); {
	case n == 0:
		return unnamed
	case n > 3:
		return fmt.Sprintf("%s and %d more items of the live object", strings.Join(kept[:2], ", "), n-2)
	}
	return strings.Join(kept, ", ")
}

// keptField returns advice on a field that the live object has and the change does not remove, so that
// it is invalid or excludes another one, as the rollingUpdate of a Deployment excludes the strategy
// Recreate and the value of a variable its valueFrom. It returns "" for any other field.
func (w *write) keptField(f FieldError) string {
	if strings.HasPrefix(f.Message, "Forbidden: ") && w.keeps(f.Path) {
		return w.removal(f.Path)
	}
	if w.live == nil || len(f.Path) < 3 { // the source of a PersistentVolume, in its spec, cannot be changed anyway
		return ""
	}
	beside := f.Path[:len(f.Path)-1]
	for key, v := range w.live.Value.Follow(beside).Members() {
		excludes := strings.Contains(f.Message, "when `"+key+"` is not empty") || strings.Contains(f.Message, "may not specify more than 1 ") && v.Kind() == document.Object
		if other := beside.Child(key); excludes && w.keeps(other) {
			return w.removal(other)
		}
	}
	return ""
}

// keeps reports whether the live object has a field that an apply or a patch omits, or sets to null and
// does not remove. The items of lists on the way must have the same keys in both.
func (w *write) keeps(path document.Path) bool {
	switch w.change.Action {
	case ActionApply, ActionClientApply, ActionStrategicPatch, ActionMergePatch:
	default:
		return false
	}
	if w.live == nil || len(path) == 0 || w.change.Subresource != "" {
		return false
	}
	wanted, live, t := w.Value, w.live.Value, w.kind.Type()
	for _, step := range path[:len(path)-1] {
		next := document.Path{step}
		wanted, live = wanted.Follow(next), live.Follow(next)
		if _, ok := step.Index(); ok {
			if t == nil || t.List == nil || t.List.Kind != schema.KeyedList {
				return false
			}
			a, known := structured.ItemElement(t.List, wanted)
			b, _ := structured.ItemElement(t.List, live)
			if !known || a != b {
				return false
			}
		}
		t = t.At(next)
	}
	last := path[len(path)-1:]
	has := wanted.Follow(last)
	return live.Follow(last).Exists() && (!has.Exists() || has.IsNull())
}

// removal returns advice on how to remove a field that the live object has and the change omits.
func (w *write) removal(path document.Path) string {
	if w.change.Action == ActionApply {
		return fmt.Sprintf("the live object has %s, and an apply removes only what %s alone has applied before; "+
			"'patchlab diff LIVE PATCH' shows patches that remove it", path, w.change.FieldManager)
	}
	return fmt.Sprintf("the live object has %s; set it to null to remove it", path)
}
