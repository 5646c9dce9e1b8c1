package remake

import "github.com/patchlab-dev/patchlab/document"

// Earlier looks up the parts of an earlier state of an object or list while the present
// state is walked in order. A walk that would not change the earlier state can skip every
// part that both states share (document.SameNode). The zero Earlier has no parts.
type Earlier struct {
	of   document.Value
	next int
}

// EarlierOf returns an Earlier for the parts of v.
func EarlierOf(v document.Value) Earlier { return Earlier{of: v} }

// Member returns the member with a key; absent if there is none. Ascending order of keys is
// fastest.
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

// Item returns the earlier item that corresponds to item i of the list, determined without
// a search: the shared one if items were inserted or removed at one place, else the one
// with the same index.
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

// Shared reports whether a list or object is the same node as its earlier state. It returns
// false for scalars, which are cheap to process.
func Shared(v, earlier document.Value) bool {
	return v.Kind() >= document.List && document.SameNode(v, earlier)
}

// Changed returns the range of items of list that a walk has to visit: those with indices from
// up to but not including to. The items before and after them are shared. The range is found by
// comparing addresses, which for long lists is much faster than calling Item for each item.
func (e *Earlier) Changed(list document.Value) (from, to int) {
	first, last := document.SharedEnds(list, e.of)
	return first, list.Len() - last
}
