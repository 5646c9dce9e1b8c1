package document

import "unsafe"

// SharedEnds returns how many items at the beginning and how many at the end of list a
// are the same parts of one tree as the items at that end of list b. The two numbers
// together do not exceed the length of either list. Where one of a and b is not a list,
// both are 0.
func SharedEnds(a, b Value) (first, last int) {
	if a.Kind() != List || b.Kind() != List {
		return 0, 0
	}
	x, y := a.n.kids(), b.n.kids()
	n := min(len(x), len(y))
	for first < n && sameContent(&x[first], &y[first]) {
		first++
	}
	for last < n-first && sameContent(&x[len(x)-1-last], &y[len(y)-1-last]) {
		last++
	}
	return first, last
}

// sameContent reports whether two nodes are copies of one: the kids of lists and objects,
// and the text of scalars, are at the same place in memory.
func sameContent(a, b *node) bool {
	return a.kind == b.kind && a.count == b.count && a.first == b.first &&
		(a.count > 0 || len(a.raw) == len(b.raw) && unsafe.StringData(a.raw) == unsafe.StringData(b.raw))
}
