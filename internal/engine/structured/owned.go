package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// fieldsOf returns the fields of an applied configuration that its manager owns (rule
// "own"):
//
//   - a scalar, and an atomic list or object;
//   - a member that is null or an empty object;
//   - a member that is not a declared field of its type, such as an entry of a map;
//   - an item of a set or a keyed list; for duplicate items only the item itself,
//     nothing in it.
//
// Empty sets and keyed lists are not included.
//
// was is a set that is likely to be similar, such as the manager's previous fields. The
// result shares equal parts with it and is was itself if they are equal.
func (w *work) fieldsOf(t *schema.Type, v document.Value, was fieldset.Set) fieldset.Set {
	if formsOf(t, v).lead() != mapForm {
		return fieldset.Set{}
	}
	like := was.JSON()
	if was.Empty() {
		like = document.Value{}
	}
	return fieldset.Raw(w.owned(t, v, false, like))
}

// owned returns the trie node of a value. member is set if the value itself is always
// owned. was is a similar node, or absent.
func (w *work) owned(t *schema.Type, v document.Value, member bool, was document.Value) document.Value {
	switch formsOf(t, v).lead() {
	case mapForm:
		if t.Map.Atomic {
			return likeLeaf(true, was)
		}
		if v.Kind() != document.Object {
			return likeLeaf(member, was)
		}
		return w.ownedMembers(t.Map, v, member, was)
	case listForm:
		if t.List.Kind == schema.AtomicList {
			return likeLeaf(true, was)
		}
		if v.Kind() != document.List {
			return likeLeaf(member, was)
		}
		return w.ownedItems(t.List, v, member, was)
	}
	return likeLeaf(true, was)
}

// likeLeaf returns the same as leaf, but reuses the node was if it is equal.
func likeLeaf(member bool, was document.Value) document.Value {
	if member && was.Exists() && was.Len() == 0 {
		return was
	}
	return leaf(member)
}

// leaf returns the node of a path with nothing below it: an empty object if the path is a
// member of the set, otherwise absent.
func leaf(member bool) document.Value {
	if member {
		return document.NewObject()
	}
	return document.Value{}
}

func (w *work) ownedMembers(m *schema.MapType, v document.Value, is bool, was document.Value) document.Value {
	b := w.newNode(is, v.Len(), was)
	field, at := 0, fieldset.First(was)
	for i := range v.Len() {
		name, val := v.Key(i), v.At(i)
		var t *schema.Type
		before := field
		t, field = memberFrom(m, name, field)
		if t == nil {
			continue
		}
		named := field > before && m.Fields[field-1].Name == name
		empty := val.IsNull() || val.Kind() == document.Object && val.Len() == 0
		var j int
		j, at = fieldFrom(was, name, at)
		b.field(name, j, w.owned(t, val, empty || !named, b.kidOf(j)))
	}
	return b.node()
}

// fieldFrom returns the index of a field among the kids of a node, -1 if there is none,
// searching from an index. next is the index for the next name; it must be called in
// ascending order of names.
func fieldFrom(n document.Value, name string, from int) (at, next int) {
	for ; from < n.Len(); from++ {
		e := n.Key(from)
		if fieldset.IsField(e, name) {
			return from, from + 1
		}
		if !fieldBefore(e, name) {
			break
		}
	}
	return -1, from
}

// fieldBefore reports whether an element sorts before the field with the given name.
func fieldBefore(element, name string) bool {
	return element < "f:" || len(element) >= 2 && element[:2] == "f:" && element[2:] < name
}

func (w *work) ownedItems(l *schema.ListType, v document.Value, is bool, was document.Value) document.Value {
	if v.Len() == 0 {
		return likeLeaf(is, was)
	}
	x := w.indexOf(l, v)
	at, nodes := w.match(x, was), w.slab.values.take(v.Len())
	same := x.next == nil
	for i := range x.elements {
		var kid document.Value
		if at[i] >= 0 {
			kid = was.At(int(at[i]))
		}
		if x.follower(i) >= 0 || !x.isFirst(i) {
			nodes[i] = likeLeaf(true, kid)
		} else {
			nodes[i] = w.owned(l.Elem, v.At(i), true, kid)
		}
		same = same && kid.Exists() && document.SameNode(nodes[i], kid)
	}
	if same && is == fieldset.IsMember(was) && was.Len()-fieldset.First(was) == len(nodes) {
		return was
	}
	b := w.newNode(is, v.Len(), was)
	b.build()
	for i, e := range x.elements {
		b.item(e, int(at[i]), nodes[i])
	}
	return b.node()
}

// match returns the indices of a list's items among the kids of a node, -1 for items
// without a node.
func (w *work) match(x *index, n document.Value) []int32 {
	at := w.slab.ints.take(len(x.elements))
	first := fieldset.First(n)
	if !x.ascending && x.next == nil && n.Len()-first <= 4*len(at) {
		// The kids are sorted but the items are not: look up the item of each kid.
		for i := range at {
			at[i] = -1
		}
		for j := first; j < n.Len(); j++ {
			if i := x.find(n.Key(j)); i >= 0 {
				at[i] = int32(j)
			}
		}
		return at
	}
	next := first
	for i, e := range x.elements {
		at[i] = -1
		if next < n.Len() && n.Key(next) == e {
			at[i] = int32(next)
		} else if j, found := n.Find(e); found {
			at[i] = int32(j)
		}
		if at[i] >= 0 {
			next = int(at[i]) + 1
		}
	}
	return at
}

// nodeBuilder builds a trie node, or returns an existing equal node.
type nodeBuilder struct {
	w      *work
	was    document.Value
	member bool
	room   int
	// same is the index up to which the kids of was have been added in order. Nothing is
	// built until a kid differs.
	same  int
	built bool
	kids  document.ObjectBuilder
}

func (w *work) newNode(member bool, room int, was document.Value) nodeBuilder {
	return nodeBuilder{w: w, member: member, room: room, was: was, same: fieldset.First(was)}
}

// kidOf returns the kid of was at an index; absent for -1.
func (b *nodeBuilder) kidOf(j int) document.Value {
	if j < 0 {
		return document.Value{}
	}
	return b.was.At(j)
}

// field adds the node of a field, which was has at index j (-1 for none).
func (b *nodeBuilder) field(name string, j int, n document.Value) {
	if !b.add(j, n) {
		b.kids.Set(b.key("f:", name), n)
	}
}

// item adds the node of a list item.
func (b *nodeBuilder) item(element string, j int, n document.Value) {
	if !b.add(j, n) {
		b.kids.Set(b.key("", element), n)
	}
}

// add adds a node that was has, or an absent one, and reports whether it did.
func (b *nodeBuilder) add(j int, n document.Value) bool {
	if !n.Exists() {
		return true
	}
	if !b.built && j == b.same && document.SameNode(n, b.was.At(j)) {
		b.same++
		return true
	}
	b.build()
	if j < 0 {
		return false
	}
	if document.SameNode(n, b.was.At(j)) {
		b.kids.Keep(b.was, j)
	} else {
		b.kids.Set(b.was.Key(j), n)
	}
	return true
}

// build starts a new node with the kids of was added so far.
func (b *nodeBuilder) build() {
	if b.built {
		return
	}
	b.built = true
	if b.member {
		b.kids.Grow(b.room + 1)
		b.kids.Set(".", document.NewObject())
	} else {
		b.kids.Grow(b.room)
	}
	for i := fieldset.First(b.was); i < b.same; i++ {
		b.kids.Keep(b.was, i)
	}
}

func (b *nodeBuilder) key(prefix, text string) string {
	return b.w.key(prefix, text, b.room-b.kids.Len())
}

func (b *nodeBuilder) node() document.Value {
	if !b.built {
		if b.was.Exists() && b.same == b.was.Len() && b.member == fieldset.IsMember(b.was) {
			return b.was
		}
		if b.same == fieldset.First(b.was) {
			return leaf(b.member) // no kids
		}
		b.build()
	}
	switch n := b.kids.Len(); {
	case n == 0:
		return document.Value{}
	case n == 1 && b.member:
		return document.NewObject()
	}
	return b.kids.Object()
}
