package patch

import (
	"maps"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
)

// origin is the origin of a value's text, which test compares.
type origin uint8

const (
	// fromObject: from the object, in the server's encoding.
	fromObject origin = iota
	// fromPatch: from the patch, as written there.
	fromPatch
	// fromCopy: a copy of a fromPatch value, where <, > and & are escaped.
	fromCopy
)

// nullSort distinguishes the three representations of null in kube-apiserver's decoder,
// which test does not consider equal.
type nullSort uint8

const (
	// nullPlain was decoded from text.
	nullPlain nullSort = iota
	// nullGiven is the value of an add, replace or test operation.
	nullGiven
	// nullCopied is a copy of a nullGiven; it is treated as an empty object.
	nullCopied
)

// A slot holds one value of the working tree, which is unchanged or a branch.
type slot struct {
	val    document.Value
	branch *branch
	origin origin
	null   nullSort
}

// A branch is an object or a list being modified. Only the modified members are stored; a
// list is converted to a sequence only when items are inserted or removed.
type branch struct {
	base   document.Value
	origin origin
	dirty  bool // it or a descendant has changed
	void   bool // a copied null, to which nothing can be added

	members map[string]*slot // objects: modified members; nil if removed
	edits   map[int]*slot    // lists: modified items, while laid is nil
	laid    *sequence        // lists: all items
}

// open returns the slot's branch; nil for a scalar.
func (s *slot) open() *branch {
	if s.branch != nil {
		return s.branch
	}
	switch {
	case s.val.Kind() == document.Object || s.val.Kind() == document.List:
		s.branch = &branch{base: s.val, origin: s.origin}
	case s.null == nullCopied:
		s.branch = &branch{base: document.NewObject(), void: true}
	}
	return s.branch
}

// isNil reports whether kube-apiserver represents the value by a nil pointer.
func (s slot) isNil() bool {
	return s.val.IsNull() && s.null == nullPlain
}

// build returns the slot's value including all changes.
func (s slot) build() document.Value {
	if s.branch == nil || !s.branch.dirty {
		return s.val
	}
	return s.branch.build()
}

// clone returns a deep copy. top is false below the copied value, where every null is
// plain.
func (s slot) clone(top bool) slot {
	out := slot{val: s.val, origin: s.origin, null: s.null}
	if s.origin == fromPatch {
		out.origin = fromCopy
	}
	switch {
	case !top:
		out.null = nullPlain
	case s.null == nullGiven:
		out.null = nullCopied
	}
	if s.branch == nil || !s.branch.dirty {
		return out
	}
	b := *s.branch
	if b.origin == fromPatch {
		b.origin = fromCopy
	}
	b.members = maps.Clone(b.members)
	for k, m := range b.members {
		if m != nil {
			c := m.clone(false)
			b.members[k] = &c
		}
	}
	b.edits = maps.Clone(b.edits)
	for i, m := range b.edits {
		c := m.clone(false)
		b.edits[i] = &c
	}
	if b.laid != nil {
		b.laid = b.laid.clone()
	}
	out.branch = &b
	return out
}

func (b *branch) isList() bool { return b.base.Kind() == document.List }

// lookup returns a member of an object and whether it exists.
func (b *branch) lookup(key string) (slot, bool) {
	if s, touched := b.members[key]; touched {
		if s == nil {
			return slot{}, false
		}
		return *s, true
	}
	v := b.base.Get(key)
	return slot{val: v, origin: b.origin}, v.Exists()
}

func (b *branch) get(key string) slot {
	s, _ := b.lookup(key)
	return s
}

// member is lookup for descending further: the returned slot stays in the tree.
func (b *branch) member(key string) (*slot, bool) {
	s, touched := b.members[key]
	if touched {
		return s, s != nil
	}
	v := b.base.Get(key)
	if !v.Exists() {
		return nil, false
	}
	s = &slot{val: v, origin: b.origin}
	b.put(key, s)
	return s, true
}

func (b *branch) set(key string, s slot) { b.put(key, &s) }
func (b *branch) remove(key string)      { b.put(key, nil) }
func (b *branch) put(key string, s *slot) {
	if b.members == nil {
		b.members = make(map[string]*slot)
	}
	b.members[key] = s
}

// keys returns the keys of an object, for messages and comparison.
func (b *branch) keys() []string {
	var keys []string
	for k := range b.base.Members() {
		if s, touched := b.members[k]; !touched || s != nil {
			keys = append(keys, k)
		}
	}
	for k, s := range b.members {
		if _, there := b.base.Find(k); !there && s != nil {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func (b *branch) len() int {
	if b.laid != nil {
		return b.laid.n
	}
	return b.base.Len()
}

// peek returns an item of a list.
func (b *branch) peek(i int) slot {
	if b.laid != nil {
		return *b.laid.at(i)
	}
	if s := b.edits[i]; s != nil {
		return *s
	}
	return slot{val: b.base.At(i), origin: b.origin}
}

// at is peek for modification. The pointer is valid until items are inserted or removed.
func (b *branch) at(i int) *slot {
	if b.laid != nil {
		return b.laid.at(i)
	}
	s := b.edits[i]
	if s == nil {
		if b.edits == nil {
			b.edits = make(map[int]*slot)
		}
		s = &slot{val: b.base.At(i), origin: b.origin}
		b.edits[i] = s
	}
	return s
}

func (b *branch) insert(i int, s slot) {
	b.layOut()
	b.laid.insert(i, s)
}

func (b *branch) cut(i int) {
	b.layOut()
	b.laid.cut(i)
}

func (b *branch) layOut() {
	if b.laid == nil {
		b.laid = newSequence(b.base, b.origin, b.edits)
		b.edits = nil
	}
}

// build returns the branch's value including all changes.
func (b *branch) build() document.Value {
	if !b.isList() {
		changes := make([]remake.Change, 0, len(b.members))
		for key, s := range b.members {
			c := remake.Change{Key: key}
			if s != nil {
				c.Value = s.build()
			}
			changes = append(changes, c)
		}
		remake.SortChanges(changes)
		return remake.WithChanges(b.base, changes)
	}
	var list document.ListBuilder
	list.Grow(b.len())
	if b.laid != nil {
		for _, chunk := range b.laid.chunks {
			for i := range chunk {
				list.Append(chunk[i].build())
			}
		}
		return list.List()
	}
	from := 0
	for _, i := range slices.Sorted(maps.Keys(b.edits)) {
		list.AppendItems(b.base, from, i)
		list.Append(b.edits[i].build())
		from = i + 1
	}
	list.AppendItems(b.base, from, b.base.Len())
	return list.List()
}
