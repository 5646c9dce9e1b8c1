// Package remake changes the parts of lists and objects in a single pass. Values are
// immutable, so replacing the parts one by one would copy the whole once per part.
package remake

import (
	"slices"
	"sort"

	"github.com/patchlab-dev/patchlab/document"
)

// Items returns a list with each item replaced by the result of f, or the same list if f
// returns every item unchanged. An absent result removes the item. A value other than a
// list is returned unchanged.
func Items(list document.Value, f func(i int, item document.Value) document.Value) document.Value {
	if list.Kind() != document.List {
		return list
	}
	return items(list, 0, list.Len(), f)
}

// ItemsUpdate is Items for a list that was derived from live, a list whose items f would not
// change. f is not called for the items that both lists share at their beginnings and ends;
// for each other item it also receives the corresponding item of live (see Earlier.Item).
func ItemsUpdate(list, live document.Value, f func(i int, item, before document.Value) document.Value) document.Value {
	if list.Kind() != document.List {
		return list
	}
	before := EarlierOf(live)
	from, to := before.Changed(list)
	return items(list, from, to, func(i int, item document.Value) document.Value { return f(i, item, before.Item(list, i)) })
}

// items is Items for the items with indices from up to but not including to; the others do not
// change.
func items(list document.Value, from, to int, f func(i int, item document.Value) document.Value) document.Value {
	var out document.ListBuilder
	changed := false
	for i := from; i < to; i++ {
		old := list.At(i)
		now := f(i, old)
		if !changed {
			if document.SameNode(now, old) {
				continue
			}
			changed = true
			out.Grow(list.Len())
			out.AppendItems(list, 0, i)
		}
		out.Append(now)
	}
	if !changed {
		return list
	}
	out.AppendItems(list, to, list.Len())
	return out.List()
}

// Members maps the members of an object as Items maps the items of a list; i is the index
// of a member.
func Members(object document.Value, f func(i int, member document.Value) document.Value) document.Value {
	if object.Kind() != document.Object {
		return object
	}
	var out document.ObjectBuilder
	changed := false
	for i := range object.Len() {
		old := object.At(i)
		now := f(i, old)
		same := document.SameNode(now, old)
		if !changed {
			if same {
				continue
			}
			changed = true
			out.Grow(object.Len())
			for j := range i {
				out.Keep(object, j)
			}
		}
		if same {
			out.Keep(object, i)
		} else {
			out.Set(object.Key(i), now)
		}
	}
	if !changed {
		return object
	}
	return out.Object()
}

// Change is the new value of a member of an object. An absent value removes the member.
type Change struct {
	Key   string
	Value document.Value
}

// SortChanges sorts changes by key. Unlike sort.SliceStable, it needs no reflection, which
// allocates; a few changes, such as defaults, are sorted without any allocation.
func SortChanges(changes []Change) {
	if len(changes) > fewChanges {
		sorted := slices.Clone(changes) // so that changes may be on the stack
		sort.Stable(byKey(sorted))
		copy(changes, sorted)
		return
	}
	for i := 1; i < len(changes); i++ {
		for j := i; j > 0 && changes[j].Key < changes[j-1].Key; j-- {
			changes[j], changes[j-1] = changes[j-1], changes[j]
		}
	}
}

// IndexOf returns the index of the change of a member, -1 if there is none.
func IndexOf(changes []Change, key string) int {
	return slices.IndexFunc(changes, func(c Change) bool { return c.Key == key })
}

// fewChanges is the number of changes up to which they are sorted by insertion.
const fewChanges = 16

type byKey []Change

func (c byKey) Len() int           { return len(c) }
func (c byKey) Less(i, j int) bool { return c[i].Key < c[j].Key }
func (c byKey) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }

// WithChanges returns the object with changed members. The changes must be sorted by key and
// have no key twice. A value other than an object counts as an empty one.
func WithChanges(object document.Value, changes []Change) document.Value {
	if len(changes) == 0 {
		return object
	}
	var b document.ObjectBuilder
	i, n := 0, 0
	if object.Kind() == document.Object {
		n = object.Len()
	}
	b.Grow(n + len(changes))
	for _, c := range changes {
		for ; i < n && object.Key(i) < c.Key; i++ {
			b.Keep(object, i)
		}
		if i < n && object.Key(i) == c.Key {
			i++
		}
		b.Set(c.Key, c.Value)
	}
	for ; i < n; i++ {
		b.Keep(object, i)
	}
	return b.Object()
}
