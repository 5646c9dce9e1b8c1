// Package fieldset implements sets of an object's fields as in managedFields.
//
// A Set is a decoded fieldsV1: an object whose keys are path elements, and therefore a
// trie. An element whose object is empty or has the key "." is a field of the set; other
// keys are fields below it. Sets are immutable. An operation without effect returns its
// operand, and unchanged parts are shared.
package fieldset

import (
	"cmp"
	"slices"
	"sort"

	"github.com/patchlab-dev/patchlab/document"
)

// Set is a set of fields. The zero Set is empty.
type Set struct{ root document.Value }

// Of returns the set of the given paths.
func Of(paths ...document.Path) Set {
	sets := make([]Set, len(paths))
	for i, p := range paths {
		sets[i] = path(p)
	}
	return UnionOf(sets...)
}

// UnionOf returns the fields that are in any of the sets. It unites halves, because uniting the
// sets one by one would copy the result for each.
func UnionOf(sets ...Set) Set {
	switch n := len(sets); n {
	case 0:
		return Set{}
	case 1:
		return sets[0]
	default:
		return UnionOf(sets[:n/2]...).Union(UnionOf(sets[n/2:]...))
	}
}

// path returns the set of one path; that of the whole object is empty.
func path(p document.Path) Set {
	if len(p) == 0 {
		return Set{}
	}
	n := document.NewObject()
	for i := len(p) - 1; i >= 0; i-- {
		var b document.ObjectBuilder
		b.Set(p[i].Element(), n)
		n = b.Object()
	}
	return Set{n}
}

// Raw returns the set of a trie, which must be canonical.
func Raw(trie document.Value) Set { return Set{trie} }

// JSON encodes the set as a fieldsV1.
func (s Set) JSON() document.Value {
	if !s.root.Exists() {
		return document.NewObject()
	}
	return s.root
}

// Empty reports whether no field is in the set.
func (s Set) Empty() bool { return s.root.Len() == 0 }

// Same reports whether two sets share one trie and are therefore equal. Equal sets need not
// share one.
func (s Set) Same(o Set) bool {
	return document.SameNode(s.root, o.root) || s.Empty() && o.Empty()
}

// Equal reports whether two sets contain the same fields.
func (s Set) Equal(o Set) bool {
	return s.Empty() && o.Empty() || document.Equal(s.root, o.root)
}

// In a trie the key "." sorts before every element and is therefore the first.

// IsField reports whether an element refers to the field with the given name.
func IsField(element, name string) bool {
	return len(element) == len(name)+2 && element[0] == 'f' && element[1] == ':' && element[2:] == name
}

// IsMember reports whether a trie node is itself a field of the set.
func IsMember(n document.Value) bool { return n.Exists() && (n.Len() == 0 || n.Key(0) == ".") }

// First returns the index of a node's first element.
func First(n document.Value) int {
	if n.Len() > 0 && n.Key(0) == "." {
		return 1
	}
	return 0
}

// Child returns the fields below an element, and whether the element itself is
// in the set.
func (s Set) Child(element string) (below Set, member bool) {
	n := s.root.Get(element)
	return belowNode(n), IsMember(n)
}

// belowNode returns the set of the fields below a node.
func belowNode(n document.Value) Set {
	if n.Len() == First(n) {
		return Set{}
	}
	return Set{n}
}

// Has reports whether the field is in the set.
func (s Set) Has(p document.Path) bool {
	n := s.root
	for _, step := range p {
		n = n.Get(step.Element())
	}
	return len(p) > 0 && IsMember(n)
}

// rooted returns the set with the given root node, which is not a member itself.
func rooted(n document.Value) Set {
	if n.Len() == 0 {
		return Set{}
	}
	return Set{n}
}

// Union returns the fields that are in s, in o or in both.
func (s Set) Union(o Set) Set {
	switch {
	case o.Empty() || s.Same(o):
		return s
	case s.Empty():
		return o
	}
	return rooted(union(s.root, o.root, false))
}

func union(a, b document.Value, member bool) document.Value {
	if document.SameNode(a, b) {
		return a
	}
	e := edit{like: a, member: member}
	i := First(a)
	for j := First(b); j < b.Len(); j++ {
		var found bool
		if i, found = seek(a, b.Key(j), i); found {
			x, y := a.At(i), b.At(j)
			e.put(i, union(x, y, IsMember(x) || IsMember(y)))
			i++
		} else {
			e.insert(i, b, j)
		}
	}
	return e.node()
}

// Intersect returns the fields that are both in s and in o.
func (s Set) Intersect(o Set) Set {
	if s.Same(o) {
		return s
	}
	if s.Empty() || o.Empty() {
		return Set{}
	}
	return rooted(intersect(s.root, o.root, false))
}

func intersect(a, b document.Value, member bool) document.Value {
	if document.SameNode(a, b) {
		return a
	}
	e := edit{like: a, member: member}
	at := First(a)
	for i, j, ok := nextCommon(a, b, First(a), First(b)); ok; i, j, ok = nextCommon(a, b, i+1, j+1) {
		for ; at < i; at++ {
			e.put(at, document.Value{})
		}
		x, y := a.At(i), b.At(j)
		e.put(i, intersect(x, y, IsMember(x) && IsMember(y)))
		at = i + 1
	}
	for ; at < a.Len(); at++ {
		e.put(at, document.Value{})
	}
	return e.node()
}

// Minus returns the fields of s that are not in o. Fields below those of o are kept.
func (s Set) Minus(o Set) Set { return s.minus(o, false) }

// MinusBelow returns the fields of s that are not in o and not below a field of o.
func (s Set) MinusBelow(o Set) Set { return s.minus(o, true) }

func (s Set) minus(o Set, deep bool) Set {
	if s.Empty() || o.Empty() {
		return s
	}
	return rooted(minus(s.root, o.root, false, deep))
}

func minus(a, b document.Value, member, deep bool) document.Value {
	e := edit{like: a, member: member}
	for i, j, ok := nextCommon(a, b, First(a), First(b)); ok; i, j, ok = nextCommon(a, b, i+1, j+1) {
		x, y := a.At(i), b.At(j)
		var n document.Value
		if !deep || !IsMember(y) {
			n = minus(x, y, IsMember(x) && !IsMember(y), deep)
		}
		e.put(i, n)
	}
	return e.node()
}

// nextCommon returns the indices, in each of two nodes, of the next element that both have: the first
// from i in a and j in b on. It reports false if there is none.
func nextCommon(a, b document.Value, i, j int) (int, int, bool) {
	for i < a.Len() && j < b.Len() {
		var found bool
		if i, found = seek(a, b.Key(j), i); found {
			return i, j, true
		}
		if i < a.Len() {
			j, _ = seek(b, a.Key(i), j)
		}
	}
	return i, j, false
}

// Contains reports whether every field of o is in s.
func (s Set) Contains(o Set) bool { return o.Empty() || s.Same(o) || contains(s.root, o.root) }

func contains(a, b document.Value) bool {
	i := First(a)
	for j := First(b); j < b.Len(); j++ {
		var found bool
		if i, found = seek(a, b.Key(j), i); !found {
			return false
		}
		x, y := a.At(i), b.At(j)
		if IsMember(y) && !IsMember(x) || !document.SameNode(x, y) && !contains(x, y) {
			return false
		}
		i++
	}
	return true
}

// Tops returns the fields of s without a field of s above them.
func (s Set) Tops() Set {
	if s.Empty() {
		return s
	}
	return rooted(tops(s.root))
}

func tops(n document.Value) document.Value {
	e := edit{like: n}
	for i := First(n); i < n.Len(); i++ {
		kid := n.At(i)
		if IsMember(kid) {
			if kid.Len() > 0 {
				kid = document.NewObject()
			}
		} else {
			kid = tops(kid)
		}
		e.put(i, kid)
	}
	return e.node()
}

// Leaves returns the fields of s without a field of s below them. Every branch of a trie
// ends in a field, so every node has leaves.
func (s Set) Leaves() Set {
	if s.Empty() {
		return s
	}
	return rooted(leaves(s.root))
}

func leaves(n document.Value) document.Value {
	if n.Len() == First(n) {
		return n
	}
	e := edit{like: n}
	for i := First(n); i < n.Len(); i++ {
		e.put(i, leaves(n.At(i)))
	}
	return e.node()
}

// Size returns the number of fields in the set.
func (s Set) Size() int {
	n := 0
	for i := First(s.root); i < s.root.Len(); i++ {
		kid := s.root.At(i)
		if IsMember(kid) {
			n++
		}
		n += belowNode(kid).Size()
	}
	return n
}

// Steps returns the first steps of all paths in the set, in the order of
// document.Step.Compare. positions are indices for ChildAt.
func (s Set) Steps() (steps []document.Step, positions []int) {
	type kid struct {
		step  document.Step
		value document.Value
		at    int
	}
	n := s.root
	kids := make([]kid, 0, n.Len())
	for i := First(n); i < n.Len(); i++ {
		step := Step(n.Key(i))
		kids = append(kids, kid{step, step.Value(), i})
	}
	sort.SliceStable(kids, func(i, j int) bool {
		a, b := &kids[i], &kids[j]
		if a.step.Kind() == b.step.Kind() && a.value.Exists() {
			return document.Compare(a.value, b.value) < 0 // like Step.Compare, but parsed once
		}
		return a.step.Compare(b.step) < 0
	})
	for _, k := range kids {
		steps, positions = append(steps, k.step), append(positions, k.at)
	}
	return steps, positions
}

// Paths returns the fields of the set level by level: the fields at the root in the order
// of document.Step.Compare, then those below each.
func (s Set) Paths() []document.Path {
	var out []document.Path
	s.Walk(func(p document.Path) { out = append(out, slices.Clone(p)) })
	return out
}

// Walk calls f for the fields of the set in the order of Paths. The path is reused; clone
// it to keep it.
func (s Set) Walk(f func(document.Path)) { s.walk(nil, f) }

func (s Set) walk(prefix document.Path, f func(document.Path)) {
	steps, positions := s.Steps()
	for i, step := range steps {
		if IsMember(s.root.At(positions[i])) {
			f(append(prefix, step))
		}
	}
	for i, step := range steps {
		below, _ := s.ChildAt(positions[i])
		below.walk(append(prefix, step), f)
	}
}

// UnionNodes returns the union of two trie nodes, either of which may be absent.
func UnionNodes(a, b document.Value) document.Value {
	switch {
	case !a.Exists():
		return b
	case !b.Exists():
		return a
	}
	return union(a, b, IsMember(a) || IsMember(b))
}

// FieldFrom is Child for the name of a member, searching from an index. at is the index for
// the next name; it must be called in ascending order of names.
func (s Set) FieldFrom(name string, from int) (below Set, member bool, at int) {
	n := s.root
	for from < n.Len() {
		key := n.Key(from)
		c := -1 // only "." sorts before the fields
		if len(key) >= 2 {
			c = cmp.Compare(key[:2], "f:")
			if c == 0 {
				c = cmp.Compare(key[2:], name)
			}
		}
		if c == 0 {
			kid := n.At(from)
			return belowNode(kid), IsMember(kid), from + 1
		}
		if c > 0 {
			break
		}
		from++
	}
	return Set{}, false, from
}

// ChildOf is Child for a reread set and an element from an object.
func (s Set) ChildOf(e string) (below Set, member bool) {
	if s.Empty() {
		return Set{}, false
	}
	n := s.root.Get(e)
	if !n.Exists() && Big(e) {
		n = s.root.Get(Reread(e))
	}
	return belowNode(n), IsMember(n)
}

// ChildAt is Child for the i-th key of the set's trie.
func (s Set) ChildAt(i int) (below Set, member bool) {
	n := s.root.At(i)
	return belowNode(n), IsMember(n)
}
