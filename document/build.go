package document

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Nodes are immutable, so all equal values of these share one node.
var (
	trueNode        = node{raw: "true", kind: Bool, flags: canonical}
	falseNode       = node{raw: "false", kind: Bool, flags: canonical}
	nullNode        = node{raw: "null", kind: Null, flags: canonical}
	emptyObjectNode = node{raw: "{}", kind: Object, flags: canonical}
	emptyListNode   = node{raw: "[]", kind: List, flags: canonical}
)

// NewNull returns the value null.
func NewNull() Value { return Value{&nullNode} }

// NewBool returns a boolean value.
func NewBool(b bool) Value {
	if b {
		return Value{&trueNode}
	}
	return Value{&falseNode}
}

// NewInt returns an integer value.
func NewInt(i int64) Value {
	return Value{&node{raw: strconv.FormatInt(i, 10), kind: Number, flags: canonical | integer}}
}

// NewFloat returns a float64 value, or null for an infinity or NaN, which JSON lacks. Unlike a parsed
// number, a whole one such as 2 is not an integer (see IsInt).
func NewFloat(f float64) Value {
	if f-f != 0 {
		return NewNull()
	}
	n := node{raw: string(appendFloat(nil, f)), kind: Number}
	if strings.ContainsAny(n.raw, ".e") { // otherwise an integer has the same text
		n.flags = canonical
	}
	return Value{&n}
}

// NewString returns a string value. Invalid UTF-8 is replaced by U+FFFD.
func NewString(s string) Value {
	n := stringNode(s)
	return Value{&n}
}

func stringNode(s string) node {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	n := node{raw: s, kind: String}
	if plainText(s) {
		n.flags = canonical
	}
	return n
}

// NewObject returns an empty object.
func NewObject() Value { return Value{&emptyObjectNode} }

func newContainer(kind Kind, kids []node) Value {
	n := container(kind, kids)
	return Value{&n}
}

// NewList returns a list of the given items. Absent items are omitted.
func NewList(items ...Value) Value {
	b := ListBuilder{kids: make([]node, 0, len(items))}
	for _, v := range items {
		b.Append(v)
	}
	return b.List()
}

// NewStrings returns a list of strings.
func NewStrings(texts ...string) Value {
	b := ListBuilder{kids: make([]node, 0, len(texts))}
	for _, text := range texts {
		b.Append(NewString(text))
	}
	return b.List()
}

// ObjectBuilder builds an object member by member. The zero value is ready to use. A
// builder must not be used after Object.
type ObjectBuilder struct {
	kids   []node
	jumped bool // a key was not greater than the one before
}

// Grow reserves room for n more members.
func (b *ObjectBuilder) Grow(n int) { b.kids = slices.Grow(b.kids, n) }

// Len returns the number of members added.
func (b *ObjectBuilder) Len() int { return len(b.kids) }

// Set adds a member. Members may be added in any order; ascending order of keys is fastest.
// If a key is added several times, the last value is used. An absent value adds nothing.
func (b *ObjectBuilder) Set(key string, v Value) {
	if v.n == nil {
		return
	}
	b.set(key, *v.n)
}

// SetString adds a string member, like Set(key, NewString(text)).
func (b *ObjectBuilder) SetString(key, text string) { b.set(key, stringNode(text)) }

// SetNonEmpty adds a string member unless text is empty.
func (b *ObjectBuilder) SetNonEmpty(key, text string) {
	if text != "" {
		b.SetString(key, text)
	}
}

// SetObject adds the object built by o as a member, like Set(key, o.Object()).
func (b *ObjectBuilder) SetObject(key string, o *ObjectBuilder) {
	if len(o.kids) == 0 {
		b.set(key, emptyObjectNode)
		return
	}
	b.set(key, o.node())
}

func (b *ObjectBuilder) set(key string, n node) { b.add(keyed(key, n)) }

// keyed returns a copy of the node as a member with the given key.
func keyed(key string, n node) node {
	if n.key != key || n.flags&keyCanonical == 0 {
		n.key = key
		n.flags &^= keyCanonical
		if plainText(key) {
			n.flags |= keyCanonical
		}
	}
	return n
}

// Keep adds the i-th member of another object. It panics if there is none.
func (b *ObjectBuilder) Keep(object Value, i int) { b.add(object.n.kids()[i]) }

func (b *ObjectBuilder) add(n node) {
	if len(b.kids) > 0 && b.kids[len(b.kids)-1].key >= n.key {
		b.jumped = true
	}
	b.kids = append(b.kids, n)
}

// Object returns the object built.
func (b *ObjectBuilder) Object() Value {
	if len(b.kids) == 0 {
		return NewObject()
	}
	n := b.node()
	return Value{&n}
}

func (b *ObjectBuilder) node() node {
	if b.jumped {
		slices.SortStableFunc(b.kids, func(x, y node) int { return strings.Compare(x.key, y.key) })
		out := b.kids[:1]
		for _, n := range b.kids[1:] {
			if n.key == out[len(out)-1].key {
				out[len(out)-1] = n
			} else {
				out = append(out, n)
			}
		}
		b.kids = out
	}
	return container(Object, b.kids)
}

// ListBuilder builds a list item by item. The zero value is ready to use. A builder must
// not be used after List.
type ListBuilder struct {
	kids  []node
	below []node // arena for the members of items
}

// Grow reserves room for n more items.
func (b *ListBuilder) Grow(n int) { b.kids = slices.Grow(b.kids, n) }

// Len returns the number of items added.
func (b *ListBuilder) Len() int { return len(b.kids) }

// Append adds an item. An absent value adds nothing.
func (b *ListBuilder) Append(v Value) {
	if v.n == nil {
		return
	}
	b.kids = append(b.kids, *v.n)
}

// AppendObject adds the object built by o, like Append(o.Object()), and resets o for the
// next one.
func (b *ListBuilder) AppendObject(o *ObjectBuilder) {
	if len(o.kids) == 0 {
		b.Append(NewObject())
		return
	}
	n := o.node()
	if len(b.below) < int(n.count) {
		// The following items will mostly have as many members as this one.
		b.below = make([]node, int(n.count)*min(1+cap(b.kids)-len(b.kids), maxChunk))
	}
	kids := b.below[:n.count:n.count]
	b.below = b.below[n.count:]
	copy(kids, n.kids())
	n.first = unsafe.Pointer(unsafe.SliceData(kids))
	b.kids = append(b.kids, n)
	o.kids, o.jumped = o.kids[:0], false
}

// AppendItems adds the items [from, to) of another list. It panics if the list does not have them.
func (b *ListBuilder) AppendItems(list Value, from, to int) {
	b.kids = append(b.kids, list.n.kids()[from:to]...)
}

// List returns the list built.
func (b *ListBuilder) List() Value {
	if len(b.kids) == 0 {
		return Value{&emptyListNode}
	}
	return newContainer(List, b.kids)
}

// With returns the object with the member key set to val, which shares the other members
// with v. If val is absent, it returns v.Without(key). If the member already is val, it
// returns v itself. If v is not an object, the result is an object with only this member.
func (v Value) With(key string, val Value) Value {
	if !val.Exists() {
		return v.Without(key)
	}
	if v.Kind() != Object {
		return newContainer(Object, []node{keyed(key, *val.n)})
	}
	i, found := v.Find(key)
	old := v.n.kids()
	if found && SurelyIdentical(Value{&old[i]}, val) {
		return v
	}
	if found {
		kids := slices.Clone(old)
		kids[i] = keyed(key, *val.n)
		return newContainer(Object, kids)
	}
	kids := make([]node, 0, len(old)+1)
	kids = append(kids, old[:i]...)
	kids = append(kids, keyed(key, *val.n))
	return newContainer(Object, append(kids, old[i:]...))
}

// Without returns the object without the member key. It returns v itself if there is no
// such member or v is not an object.
func (v Value) Without(key string) Value {
	i, found := v.Find(key)
	if !found {
		return v
	}
	old := v.n.kids()
	if len(old) == 1 {
		return NewObject()
	}
	kids := make([]node, 0, len(old)-1)
	kids = append(kids, old[:i]...)
	return newContainer(Object, append(kids, old[i+1:]...))
}

// WithItem returns the list with its i-th item replaced by val. It panics if i is out of
// range or val is absent.
func (v Value) WithItem(i int, val Value) Value {
	kids := slices.Clone(v.n.kids())
	kids[i] = *val.n
	return newContainer(List, kids)
}

// Splice returns the list v with del items at index i replaced by the given items, of which
// absent ones are omitted. It panics if v does not have del items at i.
func (v Value) Splice(i, del int, items ...Value) Value {
	old := v.n.kids()
	b := ListBuilder{kids: make([]node, 0, max(len(old)-del+len(items), 0))}
	b.kids = append(b.kids, old[:i]...)
	for _, it := range items {
		b.Append(it)
	}
	b.kids = append(b.kids, old[i+del:]...)
	return b.List()
}
