package fieldset

import (
	"sort"

	"github.com/patchlab-dev/patchlab/document"
)

// An edit makes a node of a trie that is much like another. What stays is
// shared, and where all stays it is that node itself: nothing is built until
// something differs. Changes come in the order of the elements.
type edit struct {
	like    document.Value
	member  bool // the new node is a field of the set itself
	changed bool
	at      int // kids of like before at are done with
	kids    document.ObjectBuilder
}

// put replaces the i-th kid of like, or takes it out where n is absent.
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

// upTo keeps the kids of like before the i-th that are not done with.
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

// node returns the new node, absent where it is empty and no member.
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

// seek finds an element among the kids of a node from position from on, or where
// it would stand. It looks near from first, so that going through two nodes of
// one size takes one step for each element, and few elements are found in many.
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
