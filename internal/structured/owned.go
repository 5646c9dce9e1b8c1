package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// fieldsOf returns the fields that an applied configuration names, which its
// manager comes to own (rules "own"):
//
//   - a scalar, and a list or an object with one owner;
//   - a member that is null or an object without members;
//   - a member that is no named field of its type, as the entries of a map;
//   - an item of a set or a keyed list; where one stands twice, it alone and
//     nothing in it.
//
// Empty sets and keyed lists are nobody's.
func fieldsOf(t *schema.Type, v document.Value) fieldset.Set {
	if formsOf(t, v).lead() != mapForm {
		return fieldset.Set{}
	}
	return fieldset.Raw(owned(t, v, false))
}

// owned returns the trie node for a value; member says that the value itself is
// owned for another reason already.
func owned(t *schema.Type, v document.Value, member bool) document.Value {
	switch formsOf(t, v).lead() {
	case mapForm:
		if t.Map.Atomic {
			return leaf(true)
		}
		if v.Kind() != document.Object {
			return leaf(member)
		}
		return ownedMembers(t.Map, v, member)
	case listForm:
		if t.List.Kind == schema.AtomicList {
			return leaf(true)
		}
		if v.Kind() != document.List {
			return leaf(member)
		}
		return ownedItems(t.List, v, member)
	}
	return leaf(true)
}

func ownedMembers(m *schema.MapType, v document.Value, is bool) document.Value {
	b := newNode(is, v.Len())
	field := 0
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
		b.add("f:"+name, owned(t, val, empty || !named))
	}
	return b.node()
}

func ownedItems(l *schema.ListType, v document.Value, is bool) document.Value {
	x := indexList(l, v)
	b := newNode(is, v.Len())
	for i := range x.elements {
		if x.follower(i) >= 0 || !x.isFirst(i) {
			b.add(x.elements[i], leaf(true))
			continue
		}
		b.add(x.elements[i], owned(l.Elem, v.At(i), true))
	}
	return b.node()
}

// leaf is a node without anything below it: absent where it is no member.
func leaf(member bool) document.Value {
	if member {
		return document.NewObject()
	}
	return document.Value{}
}

// A nodeBuilder makes a node of a trie.
type nodeBuilder struct {
	kids   document.ObjectBuilder
	member bool
}

func newNode(member bool, room int) nodeBuilder {
	b := nodeBuilder{member: member}
	if room > 0 {
		b.kids.Grow(room + 1)
	}
	if member {
		b.kids.Set(".", document.NewObject())
	}
	return b
}

func (b *nodeBuilder) add(element string, n document.Value) { b.kids.Set(element, n) }

func (b *nodeBuilder) node() document.Value {
	switch n := b.kids.Len(); {
	case n == 0:
		return document.Value{}
	case n == 1 && b.member:
		return document.NewObject()
	}
	return b.kids.Object()
}
