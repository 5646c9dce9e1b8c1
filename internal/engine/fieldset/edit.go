package fieldset

import (
	"sort"

	"github.com/patchlab-dev/patchlab/document"
)

// edit builds a modified copy of a trie node that shares unchanged kids. Without changes
// the result is the node itself; nothing is allocated before the first change. Changes must
// be made in the order of elements.
type edit struct {
	like    document.Value
	member  bool // the new node is itself a field of the set
	changed bool
	at      int // kids of like before at have been added or replaced
	kids    document.ObjectBuilder
}

// put replaces the i-th kid of like, or removes it if n is absent.
func (e *edit) put(i int, n document.Value) {
	if n.Exists() && document.SameNode(n, e.like.At(i)) {
		return
	}
	e.upTo(i)
	if n.Exists() {
		e.kids.Set(e.like.Key(i), n)
	}
	e.at = i + 1
}

// insert adds the j-th kid of another node before the i-th of like.
func (e *edit) insert(i int, from document.Value, j int) {
	e.upTo(i)
	e.kids.Keep(from, j)
}

// upTo copies the kids of like up to the i-th that were not copied yet.
func (e *edit) upTo(i int) {
	if !e.changed {
		e.changed = true
		e.at = First(e.like)
		if e.member {
			e.kids.Set(".", document.NewObject())
		}
	}
	if n := i - e.at; n > 4 {
		e.kids.Grow(n + 1)
	}
	for ; e.at < i; e.at++ {
		e.kids.Keep(e.like, e.at)
	}
}

// node returns the new node; absent if it is empty and not a member.
func (e *edit) node() document.Value {
	if !e.changed && e.member == IsMember(e.like) {
		return e.like
	}
	e.upTo(e.like.Len())
	switch n := e.kids.Len(); {
	case n == 0:
		return document.Value{}
	case n == 1 && e.member:
		return document.NewObject()
	}
	return e.kids.Object()
}

// seek returns the index of an element among the kids of a node, or where it would be
// inserted. It searches from an index with increasing steps, which is fast both for two
// nodes of similar size and for few elements among many.
func seek(n document.Value, element string, from int) (int, bool) {
	low, high, step := from, from, 1
	for high < n.Len() && n.Key(high) < element {
		low = high + 1
		high += step
		step *= 2
	}
	high = min(high, n.Len())
	i := low + sort.Search(high-low, func(i int) bool { return n.Key(low+i) >= element })
	return i, i < n.Len() && n.Key(i) == element
}
