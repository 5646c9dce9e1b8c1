// Package remake makes changed copies of lists and objects. A value is never
// changed in place, so putting its parts in one by one copies it as often as it
// has parts: what goes through all of them does it here, in one pass.
package remake

import "github.com/patchlab-dev/patchlab/document"

// Items returns a list with each item replaced by what f makes of it, the very
// list where f gives every item back. An item for which f returns nothing goes.
// What is no list is returned as it is.
func Items(list document.Value, f func(i int, item document.Value) document.Value) document.Value {
	if list.Kind() != document.List {
		return list
	}
	var out document.ListBuilder
	changed := false
	for i := range list.Len() {
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
	return out.List()
}

// Members replaces the members of an object as Items replaces the items of a list; i is
// the position of a member.
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
