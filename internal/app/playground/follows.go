package playground

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
)

// maxFollows is the maximum number of consequences listed for a patch.
const maxFollows = 8

// follower finds the consequences of a change beyond the values that it sets.
type follower struct {
	live  fieldmanager.Object
	actor string
	out   []string
}

// follows describes the consequences of a change for concurrent and later writers of the
// object. changes are the changed fields.
func follows(t *schema.Type, live fieldmanager.Object, actor string, do scenario.Action, body document.Value, changes []explain.Change) []string {
	f := follower{live: live, actor: actor}
	switch do {
	case scenario.JSONPatch:
		f.indexes(t, body)
	case scenario.MergePatch:
		f.lists(t, live.Value, body, nil, false)
	case scenario.Strategic:
		f.lists(t, live.Value, body, nil, true)
	case scenario.Apply, scenario.ForceApply:
		f.add(actor + " owns the fields in the manifest. A field that its next apply leaves out is removed, unless another manager owns it too.")
	case scenario.Update:
		f.add("An update sends the whole object. If the object has changed since it was read, the update is refused with 409 if it contains the resourceVersion, and otherwise overwrites the change.")
	}
	f.taken(do, changes)
	if len(f.out) > maxFollows {
		more := len(f.out) - maxFollows
		f.out = append(f.out[:maxFollows], fmt.Sprintf("… and %d more of the same kind.", more))
	}
	return f.out
}

func (f *follower) add(text string) {
	if !slices.Contains(f.out, text) {
		f.out = append(f.out, text)
	}
}

// indexes finds the list indexes in the paths of a JSON patch.
func (f *follower) indexes(t *schema.Type, operations document.Value) {
	for _, op := range operations.Items() {
		pointer := op.Get("path").StringOr("")
		v, at := f.live.Value, t
		done := ""
		for token := range jsonpointer.Tokens(pointer) {
			list := v.Kind() == document.List
			n, err := strconv.Atoi(token)
			if list && err == nil && n >= 0 && n < v.Len() {
				f.add(fmt.Sprintf("%s/%s is a position: item %s is now %s. If the list has changed by the time the patch arrives, it may be a different item. A test operation before this one prevents that.",
					done, token, token, itemName(at, v.At(n))))
			}
			v, at = next(v, at, token, n)
			done += "/" + jsonpointer.Encode(token)
		}
	}
}

// next descends by one token of a JSON pointer.
func next(v document.Value, t *schema.Type, token string, n int) (document.Value, *schema.Type) {
	if v.Kind() == document.List {
		if t != nil && t.List != nil {
			t = t.List.Elem
		}
		if n < 0 || n >= v.Len() {
			return document.Value{}, t
		}
		return v.At(n), t
	}
	if t != nil && t.Map != nil {
		t = t.Map.Member(token)
	}
	return v.Get(token), t
}

// itemName describes a list item by its keys, or by its value if it has none.
func itemName(t *schema.Type, item document.Value) string {
	var names []string
	if t != nil && t.List != nil && t.List.Kind == schema.KeyedList {
		for _, k := range t.List.Keys {
			if v := item.Get(k.Name); v.Exists() {
				names = append(names, k.Name+"="+v.String())
			}
		}
	}
	if len(names) == 0 {
		return shown(item)
	}
	return strings.Join(names, ", ")
}

// lists finds the lists that a patch replaces or, with merging, merges.
func (f *follower) lists(t *schema.Type, live, body document.Value, path document.Path, merging bool) {
	if t == nil || t.Map == nil || body.Kind() != document.Object {
		return
	}
	for name, member := range body.Members() {
		at, was := path.Child(name), live.Get(name)
		field, mt := t.Map.Field(name), t.Map.Member(name)
		if member.Kind() != document.List {
			f.lists(mt, was, member, at, merging)
			continue
		}
		switch {
		case was.Len() == 0 || mt == nil || mt.List == nil || mt.List.Kind == schema.AtomicList:
		case merging && field != nil && field.Strategy&schema.StrategyMerge != 0:
			f.add("It merges " + at.String() + mergedBy(field.MergeKey) + ": items that are not in the patch remain.")
		default:
			f.add("It replaces the whole list " + at.String() + f.owners(at) + ": items that others have added since the object was read are lost.")
		}
	}
}

func mergedBy(key string) string {
	if key == "" {
		return " by value"
	}
	return " by " + key
}

// owners lists the other managers that own fields in a list.
func (f *follower) owners(list document.Path) string {
	var names []string
	for _, e := range f.live.Managed.Entries() {
		if e.Manager != f.actor && !e.Fields.Below(list).Empty() && !slices.Contains(names, e.Manager) {
			names = append(names, e.Manager)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", including fields of " + strings.Join(names, ", ")
}

// taken lists the managers that lose fields.
func (f *follower) taken(do scenario.Action, changes []explain.Change) {
	for _, c := range changes {
		var lost []string
		for _, name := range ownerNames(c.OwnersBefore) {
			if !slices.Contains(ownerNames(c.OwnersAfter), name) {
				lost = append(lost, name)
			}
		}
		if len(lost) > 0 && do != scenario.Apply && !slices.Contains(lost, f.actor) {
			f.add(strings.Join(lost, ", ") + " no longer owns " + c.Path.String() + ". There is no conflict: only a server-side apply without force checks the owners.")
		}
	}
}
