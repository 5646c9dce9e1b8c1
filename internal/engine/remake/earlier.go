package remake

import "github.com/patchlab-dev/patchlab/document"

// Earlier finds the parts of an earlier state of an object or a list while its
// present state is walked in order. A walk that would change nothing in the earlier
// state can pass over every part that both states share (document.SameNode). The
// zero Earlier has no parts.
type Earlier struct {
	of   document.Value
	next int
}

// EarlierOf returns the parts of v.
func EarlierOf(v document.Value) Earlier { return Earlier{of: v} }

// Member returns the member with a key, absent where there is none. It is fastest
// when keys come in ascending order.
func (e *Earlier) Member(key string) document.Value {
	if e.of.Kind() != document.Object {
		return document.Value{}
	}
	for i := e.next; i < min(e.next+2, e.of.Len()); i++ {
		if e.of.Key(i) == key {
			e.next = i + 1
			return e.of.At(i)
		}
	}
	return e.of.Get(key)
}

// Item returns the item that item i of the list was made from, as far as can be
// told without searching: the one that is shared where items came or went at one
// place, else the one with the same index.
func (e *Earlier) Item(list document.Value, i int) document.Value {
	if e.of.Kind() != document.List {
		return document.Value{}
	}
	item := list.At(i)
	if i < e.of.Len() && document.SameNode(e.of.At(i), item) {
		return e.of.At(i)
	}
	if j := i + e.of.Len() - list.Len(); j != i && j >= 0 && j < e.of.Len() && document.SameNode(e.of.At(j), item) {
		return e.of.At(j)
	}
	if i < e.of.Len() {
		return e.of.At(i)
	}
	return document.Value{}
}

// Shared reports whether a list or an object is the same part of one tree as its
// earlier state. Scalars are not worth asking for.
func Shared(v, earlier document.Value) bool {
	return v.Kind() >= document.List && document.SameNode(v, earlier)
}
