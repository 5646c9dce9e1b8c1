//go:build !js

package cluster

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quantity"
	"github.com/patchlab-dev/patchlab/schema"
)

// countedAsChanged returns the atomic lists of the next state of a live object that count as changed by
// its owners, although they are equal.
//
// kube-apiserver compares atomic lists as Go values. A quantity in them has a field for its text. If
// the parser does not set it (quantity.KeepsText), it is set when the quantity is written, which
// happens to the live object at the beginning of an update that is stored, and not to the next state.
// It has no effect on a quantity that is copied before it is written, as the values of maps are.
//
// Lists below items of other lists are not searched. In built-in kinds, these are lists of files with
// pod resources, whose divisor would have to be 1Pi or 1Ei.
func (t *task) countedAsChanged(live, next document.Value) []document.Path {
	if !t.ep.body.Builtin || !live.Exists() || t.dryRun() {
		return nil
	}
	var changed []document.Path
	for _, l := range t.amountLists(t.ep.body) {
		if live.Follow(l.path).Exists() && l.unkept(next.Follow(l.path)) {
			changed = append(changed, l.path)
		}
	}
	return changed
}

// amountList is an atomic list whose items contain quantities.
type amountList struct {
	path document.Path
	elem *schema.Type
}

// amountLists returns the amountLists of a kind.
func (p *pipeline) amountLists(k *schema.Kind) []amountList {
	if lists, ok := p.amounts.Load(k); ok {
		return lists.([]amountList)
	}
	var lists []amountList
	for _, root := range [...]string{"spec", "status"} {
		if f := k.Type().Map.Field(root); f != nil {
			lists = appendAmountLists(lists, f.Type, document.Keys(root))
		}
	}
	return p.amounts.LoadOrStore(k, lists).([]amountList)
}

// appendAmountLists appends the lists that are fields of t, the type at a path, or of its objects.
func appendAmountLists(lists []amountList, t *schema.Type, at document.Path) []amountList {
	if t == nil || t.Map == nil || t.Map.Atomic {
		return lists
	}
	for i := range t.Map.Fields {
		f := &t.Map.Fields[i]
		path := at.Child(f.Name)
		if f.Type == nil || f.Type.List == nil {
			lists = appendAmountLists(lists, f.Type, path)
		} else if f.Type.List.Kind == schema.AtomicList && (amountSearch{}).finds(f.Type.List.Elem, false) {
			lists = append(lists, amountList{path, f.Type.List.Elem})
		}
	}
	return lists
}

// amountSearch is a search for a quantity in a type that is not copied before it is written. It holds
// the types that have been visited, each with whether its values are copied.
type amountSearch map[amountVisit]bool

type amountVisit struct {
	t      *schema.Type
	copied bool
}

func (s amountSearch) finds(t *schema.Type, copied bool) bool {
	visit := amountVisit{t, copied}
	if t == nil || s[visit] {
		return false
	}
	s[visit] = true
	switch {
	case t.Format == "quantity":
		return !copied
	case t.List != nil:
		return s.finds(t.List.Elem, false)
	case t.Map == nil:
		return false
	case t.Map.Elem != nil:
		return s.finds(t.Map.Elem, true)
	}
	return slices.ContainsFunc(t.Map.Fields, func(f schema.Field) bool { return s.finds(f.Type, copied && f.Go&schema.GoPointer == 0) })
}

// unkept reports whether the list has a quantity whose text is not kept.
func (l amountList) unkept(list document.Value) bool {
	for _, item := range list.Items() {
		if hasUnkept(l.elem, item, false) {
			return true
		}
	}
	return false
}

// hasUnkept reports whether v, which has the type t, contains a quantity whose text is not kept, and
// which is not copied before it is written.
func hasUnkept(t *schema.Type, v document.Value, copied bool) bool {
	switch {
	case t == nil || !v.Exists():
	case t.Format == "quantity":
		return !copied && !quantity.KeepsText(v.StringOr("0"))
	case t.List != nil:
		return amountList{elem: t.List.Elem}.unkept(v)
	case t.Map == nil:
	case t.Map.Elem != nil:
		for _, value := range v.Members() {
			if hasUnkept(t.Map.Elem, value, true) {
				return true
			}
		}
	default:
		for i := range t.Map.Fields {
			f := &t.Map.Fields[i]
			if hasUnkept(f.Type, v.Get(f.Name), copied && f.Go&schema.GoPointer == 0) {
				return true
			}
		}
	}
	return false
}
