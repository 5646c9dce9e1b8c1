package document

import (
	"strings"
	"unsafe"
)

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
	return SameNode(Value{a}, Value{b}) || a.kind == b.kind && a.count == 0 && b.count == 0 &&
		len(a.raw) == len(b.raw) && unsafe.StringData(a.raw) == unsafe.StringData(b.raw)
}

// JSONLenUpdate returns v.JSONLen(), where before is the value that v was made from and
// length is before.JSONLen(). Only the parts that v does not share with before are
// measured.
func (v Value) JSONLenUpdate(before Value, length int) int {
	return length + lengthened(v, before)
}

// lengthened returns by how much the printed form of a is longer than that of b.
func lengthened(a, b Value) int {
	switch {
	case !a.Exists() || !b.Exists() || a.n.kind != b.n.kind || a.n.kind < List || a.n.flags&b.n.flags&canonical != 0:
		return a.JSONLen() - b.JSONLen()
	case sameContent(a.n, b.n):
		return 0
	}
	more := max(0, a.Len()-1) - max(0, b.Len()-1) // commas
	if a.n.kind == Object {
		return more + membersLengthened(a.n.kids(), b.n.kids())
	}
	first, last := SharedEnds(a, b)
	for i := first; i < max(a.Len(), b.Len())-last; i++ {
		var item, was Value
		if i < a.Len()-last {
			item = a.At(i)
		}
		if i < b.Len()-last {
			was = b.At(i)
		}
		more += lengthened(item, was)
	}
	return more
}

// membersLengthened is lengthened for the members of two objects, without commas.
func membersLengthened(a, b []node) int {
	more := 0
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = strings.Compare(a[0].key, b[0].key)
		}
		switch {
		case order < 0:
			more += a[0].keyLen() + Value{&a[0]}.JSONLen()
		case order > 0:
			more -= b[0].keyLen() + Value{&b[0]}.JSONLen()
		case !sameContent(&a[0], &b[0]):
			more += lengthened(Value{&a[0]}, Value{&b[0]})
		}
		if order <= 0 {
			a = a[1:]
		}
		if order >= 0 {
			b = b[1:]
		}
	}
	return more
}
