package structured

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// difference holds the fields that differ between two states of an object.
type difference struct {
	// changed holds the fields that are new or have another value. For a new value it holds
	// every field in it, including declared ones and parents of others.
	changed fieldset.Set
	// removed holds every field that no longer exists.
	removed fieldset.Set
}

// compare returns the changes from before to after (rule "track"):
//
//   - A scalar, and an atomic list or object, changes as a whole.
//   - An object or list that is new or removed includes everything in it.
//   - Empty and null differ only if both sides are either of them.
//   - Duplicate items on both sides are compared as one value. If only one side
//     has duplicates, the item itself is removed or new, and so is everything the
//     other side has under that key.
func (w *work) compare(t *schema.Type, before, after document.Value) difference {
	if document.SameNode(before, after) {
		return difference{}
	}
	d := w.diff(t, before, after)
	return difference{fieldset.Raw(d.changed), fieldset.Raw(d.removed)}
}

// pair holds the trie nodes of a field in the two sets of a difference; absent if a set has
// no fields in it.
type pair struct{ changed, removed document.Value }

func (w *work) diff(t *schema.Type, before, after document.Value) pair {
	switch {
	case !before.Exists():
		return pair{changed: w.every(t, after)}
	case !after.Exists():
		return pair{removed: w.every(t, before)}
	case document.SameNode(before, after):
		return pair{}
	}
	b, a := formsOf(t, before), formsOf(t, after)
	if a == b {
		return w.diffAs(t, a.lead(), before, after)
	}
	x, y := w.diffAs(t, b.lead(), before, after), w.diffAs(t, a.lead(), before, after)
	return pair{fieldset.UnionNodes(x.changed, y.changed), fieldset.UnionNodes(x.removed, y.removed)}
}

// diffAs compares two existing values in one form of their type. A value of another form is
// treated as empty.
func (w *work) diffAs(t *schema.Type, f form, before, after document.Value) pair {
	switch f {
	case mapForm:
		b, a := contents(before, document.Object), contents(after, document.Object)
		if !t.Map.Atomic && b.Len()+a.Len() > 0 {
			return w.diffMembers(t.Map, b, a)
		}
	case listForm:
		b, a := contents(before, document.List), contents(after, document.List)
		if t.List.Kind != schema.AtomicList && b.Len()+a.Len() > 0 {
			return w.diffItems(t.List, b, a)
		}
	}
	if document.Equal(before, after) {
		return pair{}
	}
	return pair{changed: leaf(true)}
}

// fewMembers is the number of members up to which room for all of them costs little.
const fewMembers = 16

func (w *work) diffMembers(m *schema.MapType, before, after document.Value) pair {
	more := after.Len() - before.Len()
	changed, removed := w.newNode(false, max(more, 0), document.Value{}), w.newNode(false, max(-more, 0), document.Value{})
	if more > 0 && after.Len() <= fewMembers {
		changed.room = after.Len() // most of a new object has changed, also below members that both have
	}
	i, j, field := 0, 0, 0
	for i < before.Len() || j < after.Len() {
		var name string
		var b, a document.Value
		switch {
		case j == after.Len() || i < before.Len() && before.Key(i) < after.Key(j):
			name, b = before.Key(i), before.At(i)
			i++
		case i == before.Len() || after.Key(j) < before.Key(i):
			name, a = after.Key(j), after.At(j)
			j++
		default:
			name, b, a = before.Key(i), before.At(i), after.At(j)
			i++
			j++
			if document.SameNode(a, b) {
				continue
			}
		}
		var t *schema.Type
		t, field = memberFrom(m, name, field)
		if t == nil {
			continue
		}
		d := w.diff(t, b, a)
		changed.field(name, -1, d.changed)
		removed.field(name, -1, d.removed)
	}
	return pair{changed.node(), removed.node()}
}

func (w *work) diffItems(l *schema.ListType, before, after document.Value) pair {
	if sameItems(before, after) {
		return pair{}
	}
	b, a := w.indexPair(l, before, after)
	changed, removed := nodeBuilder{w: w}, nodeBuilder{w: w}
	add := func(e string, d pair) {
		changed.item(e, -1, d.changed)
		removed.item(e, -1, d.removed)
	}
	last := -1
	for i, e := range b.elements {
		if !b.isFirst(i) {
			continue
		}
		last = a.findNear(e, last+1)
		if last >= 0 && document.SameNode(before.At(i), after.At(last)) && b.next == nil && a.next == nil {
			continue
		}
		add(e, w.diffItem(l, before, b, i, after, a, last))
	}
	last = -1
	for j, e := range a.elements {
		if last = b.findNear(e, last+1); last < 0 && a.isFirst(j) {
			add(e, w.diffItem(l, before, b, -1, after, a, j))
		}
	}
	return pair{changed.node(), removed.node()}
}

func sameItems(before, after document.Value) bool {
	if before.Len() != after.Len() {
		return false
	}
	for i := range before.Len() {
		if !document.SameNode(before.At(i), after.At(i)) {
			return false
		}
	}
	return true
}

// diffItem compares the items with one path element. i and j are the indices of the first
// ones in each list, -1 for none.
func (w *work) diffItem(l *schema.ListType, before document.Value, b *index, i int, after document.Value, a *index, j int) pair {
	var x, y document.Value
	if i >= 0 {
		x = before.At(i)
	}
	if j >= 0 {
		y = after.At(j)
	}
	many, manyAfter := i >= 0 && b.follower(i) >= 0, j >= 0 && a.follower(j) >= 0
	switch {
	case many && manyAfter:
		for i >= 0 && j >= 0 {
			if !document.Equal(before.At(i), after.At(j)) {
				return pair{changed: leaf(true)}
			}
			i, j = b.follower(i), a.follower(j)
		}
		if i != j {
			return pair{changed: leaf(true)}
		}
		return pair{}
	case many:
		d := pair{removed: leaf(true)}
		if y.Exists() {
			d.changed = w.every(l.Elem, y)
		}
		return d
	case manyAfter:
		d := pair{changed: leaf(true)}
		if x.Exists() {
			d.removed = w.every(l.Elem, x)
		}
		return d
	}
	if document.SurelyIdentical(x, y) {
		return pair{}
	}
	return w.diff(l.Elem, x, y)
}

// every returns the trie node with all fields of a value that can have their own owners.
func (w *work) every(t *schema.Type, v document.Value) document.Value {
	var b document.ObjectBuilder
	if w.addEvery(&b, t, v) {
		return b.Object()
	}
	return leaf(true)
}

// addEvery builds every's node, and reports false if the value is a leaf. The nodes below it are built
// in place, because a new object has dozens of them.
func (w *work) addEvery(b *document.ObjectBuilder, t *schema.Type, v document.Value) bool {
	switch formsOf(t, v).lead() {
	case mapForm:
		if t.Map.Atomic || v.Kind() != document.Object || v.Len() == 0 {
			return false
		}
		b.Grow(v.Len() + 1)
		b.Set(".", document.NewObject())
		field := 0
		for i := range v.Len() {
			var m *schema.Type
			if m, field = memberFrom(t.Map, v.Key(i), field); m != nil {
				w.addKid(b, w.key("f:", v.Key(i), v.Len()-i), m, v.At(i))
			}
		}
	case listForm:
		if t.List.Kind == schema.AtomicList || v.Kind() != document.List || v.Len() == 0 {
			return false
		}
		x := w.indexOf(t.List, v)
		b.Grow(v.Len() + 1)
		b.Set(".", document.NewObject())
		for i, e := range x.elements {
			if x.follower(i) >= 0 || !x.isFirst(i) {
				b.Set(w.key("", e, v.Len()-i), leaf(true))
			} else {
				w.addKid(b, w.key("", e, v.Len()-i), t.List.Elem, v.At(i))
			}
		}
	default:
		return false
	}
	return b.Len() > 1
}

// addKid adds every's node of a part of a value.
func (w *work) addKid(b *document.ObjectBuilder, key string, t *schema.Type, v document.Value) {
	var below document.ObjectBuilder
	if w.addEvery(&below, t, v) {
		b.SetObject(key, &below)
	} else {
		b.Set(key, leaf(true))
	}
}

// key returns an element that may be kept after the call, the first of the given number that follow.
// Elements share larger allocations, which are not used again.
func (w *work) key(prefix, text string, number int) string {
	if n := len(prefix) + len(text); cap(w.keys)-len(w.keys) < n {
		w.keys = make([]byte, 0, max(n*number, n, keyChunk))
	}
	from := len(w.keys)
	w.keys = append(append(w.keys, prefix...), text...)
	return cutString(w.keys[from:])
}

// keyChunk is the least size in bytes of the allocations of key.
const keyChunk = 512
