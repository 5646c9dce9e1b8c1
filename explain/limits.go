package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
	"github.com/patchlab-dev/patchlab/schema"
)

// Limit is part of a change that a patch of one type cannot express, or only with a side
// effect.
type Limit struct {
	// Rule is the name of the limit, such as LimitMergeList; doc/diff.md lists them.
	Rule string `json:"rule"`
	// Path is the path of the field; empty for the whole object.
	Path    document.Path `json:"path,omitempty"`
	Message string        `json:"message"`
}

// The limits. Their names are stable.
const (
	// LimitJSONIndex: the patch refers to list items by index.
	LimitJSONIndex = "json/index"
	// LimitJSONAbsent: the patch is refused if a field that it removes, or what contains a field that
	// it replaces, no longer exists.
	LimitJSONAbsent = "json/absent"
	// LimitMergeList: the patch replaces a whole list.
	LimitMergeList = "merge/list"
	// LimitStrategicList: the patch replaces a whole list, because the list has no merge
	// key.
	LimitStrategicList = "strategic/list"
	// LimitStrategicCustom: the API server does not support this type of patch for custom
	// resources.
	LimitStrategicCustom = "strategic/custom"
	// LimitObject: the patch removes or replaces a whole object or map.
	LimitObject = "object"
	// LimitApplyAtomic: the manager becomes the owner of a whole atomic list or object.
	LimitApplyAtomic = "apply/atomic"
	// LimitApplyConflict: another manager owns the field; the apply needs force.
	LimitApplyConflict = "apply/conflict"
	// LimitApplyOwned: another manager owns a field to be removed.
	LimitApplyOwned = "apply/owned"
	// LimitApplyUnowned: the applying manager does not own a field to be removed.
	LimitApplyUnowned = "apply/unowned"
	// LimitApplyEmpty: an object or list is removed with its last field and cannot become
	// empty.
	LimitApplyEmpty = "apply/empty"
	// LimitNull: null cannot be set because it removes the field.
	LimitNull = "null"
	// LimitOrder: the wanted order of a list cannot be set.
	LimitOrder = "order"
	// LimitKeys: items are merged by another key than the list's own, so that some are
	// confused.
	LimitKeys = "keys"
	// LimitOther: the field gets a value other than the wanted one.
	LimitOther = "other"
)

// JSONLimits returns the limits of a JSON patch for an object.
func JSONLimits(from, patch document.Value) []Limit {
	var limits []Limit
	lists := map[string]bool{} // with a limit
	removes, replaces := false, false
	for _, op := range patch.Items() {
		pointer := op.Get("path").StringOr("")
		if name := op.Get("op").StringOr(""); name == "remove" || name == "replace" {
			removes = removes || name == "remove"
			replaces = replaces || name == "replace" && strings.Count(pointer, "/") > 1
			if path, ok := member(from, pointer); ok {
				limits = append(limits, wholeObject(from.Follow(path), path, op.Get("value"))...)
			}
		}
		if list, ok := indexed(from, pointer); ok && !lists[list.String()] {
			lists[list.String()] = true
			limits = append(limits, Limit{LimitJSONIndex, list, "items are referenced by index: if another item is added or removed before them, the patch changes the wrong item"})
		}
	}
	var fails []string // kube-apiserver adds a replaced member that does not exist
	if removes {
		fails = append(fails, "a field that it removes")
	}
	if replaces {
		fails = append(fails, "the object or list item of a field that it replaces")
	}
	if len(fails) > 0 {
		limits = append(limits, Limit{Rule: LimitJSONAbsent, Message: "refused (422) if " + strings.Join(fails, " or ") + " no longer exists"})
	}
	return limits
}

// indexed returns the path of the first list that a JSON pointer indexes.
func indexed(v document.Value, pointer string) (document.Path, bool) {
	var path document.Path
	for token := range jsonpointer.Tokens(pointer) {
		if v.Kind() == document.List {
			_, err := strconv.Atoi(token)
			return path, err == nil
		}
		path, v = path.Child(token), v.Get(token)
	}
	return nil, false
}

// member returns the path of the object's member that a JSON pointer names. It has none for an item
// of a list, or if the member does not exist.
func member(v document.Value, pointer string) (path document.Path, ok bool) {
	for token := range jsonpointer.Tokens(pointer) {
		if v.Kind() == document.List {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= v.Len() {
				return nil, false
			}
			path, v, ok = path.Item(i), v.At(i), false
			continue
		}
		path, v, ok = path.Child(token), v.Get(token), true
	}
	return path, ok && v.Exists()
}

// wholeObject returns the limit of a patch that sets an object that has contents to another value,
// or removes it.
func wholeObject(was document.Value, path document.Path, is document.Value) []Limit {
	if was.Kind() != document.Object || was.Len() == 0 {
		return nil
	}
	verb := "replaced"
	if !is.Exists() || is.IsNull() {
		verb = "removed"
	}
	return []Limit{{LimitObject, path, "the whole object is " + verb + ": a field that another client adds meanwhile is lost"}}
}

// MergeLimits returns the limits of a JSON merge patch for an object: the lists that it
// replaces, and the objects that it removes.
func MergeLimits(from, patch document.Value) []Limit {
	return wholeLimits(LimitMergeList, from, patch, nil, func(*schema.Type, string) bool { return true }, nil)
}

// StrategicLimits returns the limits of a strategic merge patch for an object of type t:
// the lists that it replaces because they have no merge key, and the objects that it removes.
func StrategicLimits(t *schema.Type, from, patch document.Value) []Limit {
	replaced := func(t *schema.Type, name string) bool {
		if t == nil {
			return true
		}
		f := t.Map.Field(name)
		return f == nil || f.Strategy&schema.StrategyMerge == 0
	}
	return wholeLimits(LimitStrategicList, from, patch, nil, replaced, t)
}

// wholeLimits returns a limit for each list of from that a patch replaces, which is that of rule, and
// for each object that it removes.
func wholeLimits(rule string, from, patch document.Value, path document.Path, replaced func(*schema.Type, string) bool, t *schema.Type) []Limit {
	var limits []Limit
	for name, v := range patch.Members() {
		was, at := from.Get(name), path.Child(name)
		switch {
		case strings.HasPrefix(name, "$"):
		case v.IsNull():
			limits = append(limits, wholeObject(was, at, v)...)
		case v.Get("$patch").StringOr("") == "replace":
			limits = append(limits, wholeObject(was, at, v)...)
		case v.Kind() == document.Object && was.Kind() == document.Object:
			var kid *schema.Type
			if t != nil {
				kid = t.Map.Member(name)
			}
			limits = append(limits, wholeLimits(rule, was, v, at, replaced, kid)...)
		case v.Kind() == document.List && was.Len() > 0 && replaced(t, name):
			limits = append(limits, Limit{rule, at, fmt.Sprintf("the whole list is replaced (%d of %s unchanged): an item that another client adds meanwhile is lost", kept(was, v), count(was.Len(), "item"))})
		}
	}
	return limits
}

// count returns a number with a noun: "1 item", "2 items".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// kept returns the number of items that both lists contain. Items are looked up by their text, since
// comparing each pair takes minutes for lists of 50,000 items.
func kept(was, is document.Value) int {
	found := map[string]bool{}
	for _, item := range is.Items() {
		found[item.String()] = true
	}
	n := 0
	for _, item := range was.Items() {
		if found[item.String()] {
			n++
		}
	}
	return n
}

// ApplyLimits returns the limits of an apply that makes changes: its conflicts without
// force, and the atomic values that it becomes an owner of.
func ApplyLimits(changes []Change, conflicts []fieldmanager.Conflict) []Limit {
	var limits []Limit
	for _, c := range conflicts {
		limits = append(limits, Limit{LimitApplyConflict, c.Path, fmt.Sprintf("%s owns it: the apply is refused (409) without force", c.Owner)})
	}
	for _, c := range changes {
		if k := c.After.Kind(); (k == document.List || k == document.Object) && c.After.Len() > 0 {
			limits = append(limits, Limit{LimitApplyAtomic, c.Path, "the field is atomic: the manager becomes an owner of the whole"})
		}
	}
	return limits
}

// Missed returns a limit for each field in which the result of a patch, an object of type
// t, differs from the wanted object. apply is set for server-side apply, whose ownership
// rules can keep fields.
func Missed(t *schema.Type, wanted document.Value, after fieldmanager.Object, apply bool) []Limit {
	var limits []Limit
	known := map[string]bool{}
	for _, c := range Changes(t, fieldmanager.Object{Value: wanted}, fieldmanager.Object{Value: after.Value}) {
		l := missed(t, wanted, c, after.Managed, apply)
		if key := l.Rule + l.Path.String(); !known[key] { // several changes can be in one list
			known[key] = true
			limits = append(limits, l)
		}
	}
	return append(limits, disordered(t, wanted, after.Value, nil)...)
}

// missed returns the limit for a field whose wanted value is Before and whose result is
// After.
func missed(t *schema.Type, wanted document.Value, c Change, owners fieldmanager.Managed, apply bool) Limit {
	if c.Before.IsNull() && !c.After.Exists() {
		return Limit{LimitNull, c.Path, "null cannot be set: it removes the field"}
	}
	if list, key := mixedKeys(t, c.Path); list != nil && !apply {
		return Limit{LimitKeys, list, "items are merged by " + key + " alone, which may not be unique, so that items are confused"}
	}
	if k := c.Before.Kind(); apply && !c.After.Exists() && c.Before.Len() == 0 && (k == document.Object || k == document.List) {
		return Limit{LimitApplyEmpty, c.Path, "it cannot become empty: it is removed with its last field"}
	}
	if !apply || c.Before.Exists() {
		return Limit{LimitOther, c.Path, fmt.Sprintf("wanted %s, but the result is %s", c.Before, c.After)}
	}
	path := unwanted(wanted, c.Path)
	var names []string
	for _, e := range owners.Entries() {
		if e.Fields.Has(path) || !e.Fields.Below(path).Empty() {
			names = append(names, e.Owner.String())
		}
	}
	if len(names) > 0 {
		return Limit{LimitApplyOwned, path, "it remains, owned by " + strings.Join(names, " and ")}
	}
	return Limit{LimitApplyUnowned, path, "it remains: an apply removes only fields that its manager applied before"}
}

// unwanted returns the shortest prefix of a path at which the wanted object has no value.
func unwanted(wanted document.Value, path document.Path) document.Path {
	for i := range path {
		if !wanted.Follow(path[:i+1]).Exists() {
			return path[:i+1]
		}
	}
	return path
}

// mixedKeys returns the first list on a path whose merge key for strategic merge differs
// from its keys for structured merge, and that merge key.
func mixedKeys(t *schema.Type, path document.Path) (list document.Path, key string) {
	for i, step := range path {
		if t == nil {
			return nil, ""
		}
		name, ok := step.Name()
		if !ok {
			if t.List == nil {
				return nil, ""
			}
			t = t.List.Elem
			continue
		}
		if f := t.Map.Field(name); f != nil && f.MergeKey != "" && f.Type != nil && f.Type.List != nil && f.Type.List.Kind == schema.KeyedList && len(f.Type.List.Keys) > 1 {
			return path[:i+1], f.MergeKey
		}
		t = t.Map.Member(name)
	}
	return nil, ""
}

// disordered returns a limit for each list whose items are wanted in another order.
func disordered(t *schema.Type, wanted, after document.Value, path document.Path) []Limit {
	if document.Identical(wanted, after) {
		return nil
	}
	var limits []Limit
	switch {
	case wanted.Kind() == document.Object && after.Kind() == document.Object:
		for name, v := range wanted.Members() {
			var kid *schema.Type
			if t != nil {
				kid = t.Map.Member(name)
			}
			if other := after.Get(name); other.Exists() {
				limits = append(limits, disordered(kid, v, other, path.Child(name))...)
			}
		}
	case wanted.Kind() == document.List && after.Kind() == document.List:
		if t == nil || t.List == nil || t.List.Kind == schema.AtomicList || wanted.Len() != after.Len() { // compared as a whole, or different anyway
			return nil
		}
		a, b := place{t: t, v: wanted}, place{t: t, v: after}
		for i := range wanted.Len() {
			if a.element(i) != b.element(i) {
				return []Limit{{LimitOrder, path, "the items are not in the wanted order"}}
			}
		}
		for i, v := range wanted.Items() {
			limits = append(limits, disordered(t.List.Elem, v, after.At(i), path.Item(i))...)
		}
	}
	return limits
}
