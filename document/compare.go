package document

import (
	"cmp"
	"strings"
)

// Equal reports whether two values are equal: numbers by value (1 equals 1.0), strings by
// text, objects regardless of member order. This is the equality of structured merge.
func Equal(a, b Value) bool { return equal(a, b, false) }

// Identical reports whether two values are equal and numbers have the same type: unlike
// Equal, it distinguishes 1 from 1.0, as a deep comparison of Kubernetes' unstructured
// objects distinguishes int64 from float64.
func Identical(a, b Value) bool { return equal(a, b, true) }

// SurelyIdentical is a fast approximation of Identical that does not walk the values. It
// returns true if they are the same part of one tree or have the same printed text. It may
// return false for identical values.
func SurelyIdentical(a, b Value) bool {
	return SameNode(a, b) || a.n != nil && b.n != nil && a.n.kind == b.n.kind &&
		a.n.flags&b.n.flags&canonical != 0 && a.n.raw != "" && a.n.raw == b.n.raw
}

func equal(a, b Value, exact bool) bool {
	if SameNode(a, b) {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	x, y := a.n, b.n
	if x.flags&y.flags&canonical != 0 && x.raw != "" && x.raw == y.raw {
		return true
	}
	switch x.kind {
	case Bool:
		return x.raw == y.raw
	case String:
		if (x.flags|y.flags)&escaped == 0 {
			return x.raw == y.raw
		}
		s, _ := a.Text()
		t, _ := b.Text()
		return s == t
	case Number:
		if x.flags&integer != y.flags&integer && exact {
			return false
		}
		return compareNumbers(a, b) == 0
	}
	if x.count != y.count {
		return false
	}
	xs, ys := x.kids(), y.kids()
	for i := range xs {
		if x.kind == Object && xs[i].key != ys[i].key || !equal(Value{&xs[i]}, Value{&ys[i]}, exact) {
			return false
		}
	}
	return true
}

// Compare orders values like value.Compare of sigs.k8s.io/structured-merge-diff: numbers
// before strings before booleans before lists before objects before null; numbers by value,
// false before true, lists item by item, objects by their sorted members. Absent sorts
// first.
func Compare(a, b Value) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a.Kind() {
	case Number:
		return compareNumbers(a, b)
	case String:
		s, _ := a.Text()
		t, _ := b.Text()
		return strings.Compare(s, t)
	case Bool:
		return strings.Compare(a.n.raw, b.n.raw) // "false" < "true"
	case List, Object:
		for i := 0; i < min(a.Len(), b.Len()); i++ {
			if a.Kind() == Object {
				if c := strings.Compare(a.Key(i), b.Key(i)); c != 0 {
					return c
				}
			}
			if c := Compare(a.At(i), b.At(i)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.Len(), b.Len())
	}
	return 0
}

func rank(v Value) int {
	switch v.Kind() {
	case Number:
		return 1
	case String:
		return 2
	case Bool:
		return 3
	case List:
		return 4
	case Object:
		return 5
	case Null:
		return 6
	}
	return 0
}

// compareNumbers compares two integers exactly, and other numbers as float64s.
func compareNumbers(a, b Value) int {
	i, iok := a.Int()
	j, jok := b.Int()
	if iok && jok {
		return cmp.Compare(i, j)
	}
	f, _ := a.Float()
	g, _ := b.Float()
	return cmp.Compare(f, g)
}
