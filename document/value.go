// Package document holds Kubernetes objects as parsed, immutable JSON values.
//
// Bytes are parsed once ([Parse], [ParseYAML], [Read]) and printed once
// ([Value.AppendJSON], [Value.YAML]). In between, every part of patchlab passes a
// [Value] around: a handle to a node of a tree over the bytes that were parsed. A
// change makes a new value that shares all unchanged parts ([Value.With],
// [Value.Set], [ObjectBuilder], [ListBuilder]). No value is ever modified, so values
// may be used by many goroutines at once.
//
// [Path] leads to a part of a value, [Document.Position] finds its line and column,
// and [Equal], [Identical] and [Compare] compare values.
//
// What always holds for a value:
//
//   - the members of an object are sorted by key, byte by byte, and no key occurs
//     twice; so a lookup is a binary search, two objects are compared side by
//     side, and printing gives the order in which the API server prints maps;
//   - a string is valid UTF-8; bytes that are not have become U+FFFD, as in
//     encoding/json;
//   - a number keeps its spelling until it is printed. It is an integer when it
//     is written without fraction and exponent and fits an int64, as in
//     Kubernetes' unstructured objects; otherwise it is a float64.
//
// The printed form is that of Go's encoding/json, and so of the API server: sorted
// keys, no white space, <, > and & escaped.
package document

import (
	"iter"
	"strconv"
	"strings"
	"unsafe"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of a value. Absent is the kind of the zero Value, which is no value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	List
	Object
)

// String returns the kind's name as messages use it.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case List:
		return "list"
	case Object:
		return "object"
	}
	return "nothing"
}

type flags uint8

const (
	// canonical: raw is the printed form (for a string, what stands between
	// its quotes), so that printing copies it.
	canonical flags = 1 << iota
	// escaped: raw is a string's text with its escapes still in it.
	escaped
	// integer: the number is an integer in the sense of the package comment.
	integer
	// keyCanonical: key needs no escape when printed.
	keyCanonical
	// fromSource: raw is a part of the text that was parsed.
	fromSource
	// kidsDeferred: first points to a deferred.
	kidsDeferred
	// shell: an object that holds nothing but shells, such as a set of fields.
	// Not every such object has the flag.
	shell
)

// A node is one value and, where it is a member of an object, its key. Nodes
// lie by value in their parent's kids and are never changed once published.
type node struct {
	raw   string // scalars: their text; lists and objects: their span in the source, if they have one
	key   string
	first unsafe.Pointer // *node: the first of count kids that lie one after the other
	count uint32
	kind  Kind
	flags flags
}

// kids are the members or items below n. A pointer and a count take less room
// in the node than a slice would.
func (n *node) kids() []node {
	if n.flags&kidsDeferred != 0 {
		return n.open()
	}
	return unsafe.Slice((*node)(n.first), n.count)
}

// container makes the node of a list or an object with the kids given.
func container(kind Kind, kids []node) node {
	return node{first: unsafe.Pointer(unsafe.SliceData(kids)), count: uint32(len(kids)), kind: kind}
}

// Value is one JSON value. The zero Value is Absent.
// Values are immutable and safe for concurrent use.
type Value struct{ n *node }

// Kind returns the kind of the value, Absent for the zero Value.
func (v Value) Kind() Kind {
	if v.n == nil {
		return Absent
	}
	return v.n.kind
}

// Exists reports whether the value is not Absent. Null is a value.
func (v Value) Exists() bool { return v.n != nil }

// IsNull reports whether the value is null. An absent value is not.
func (v Value) IsNull() bool { return v.Kind() == Null }

// Len returns the number of members of an object or items of a list, else 0.
func (v Value) Len() int {
	if v.n == nil {
		return 0
	}
	return int(v.n.count)
}

// Get returns the member of an object with a key, absent if there is none or the
// value is no object.
func (v Value) Get(key string) Value {
	if v.n != nil && v.n.flags&kidsDeferred != 0 && v.n.kind == Object {
		if kid, found := v.n.peek(key); found {
			return kid
		}
	}
	if v.n == nil || v.n.kind != Object {
		return Value{}
	}
	kids := v.n.kids()
	for len(kids) > fewMembers {
		if half := len(kids) / 2; kids[half].key <= key {
			kids = kids[half:]
		} else {
			kids = kids[:half]
		}
	}
	for i := range kids {
		if kids[i].key == key {
			return Value{&kids[i]}
		}
	}
	return Value{}
}

// fewMembers are compared with a key one by one: most differ from it in length.
const fewMembers = 8

// MemberText returns the text of the member with a key, and whether there is one and
// it is a string. It is Get(key).Text() without making a node in a lazy value.
func (v Value) MemberText(key string) (string, bool) {
	if v.n != nil && v.n.flags&kidsDeferred != 0 && v.n.kind == Object {
		if text, found := v.n.peekText(key); found {
			return text, true
		}
	}
	return v.Get(key).Text()
}

// Find returns the index of an object's member with a key and true, or the index at
// which it would be inserted and false.
func (v Value) Find(key string) (int, bool) {
	if v.n == nil || v.n.kind != Object {
		return 0, false
	}
	kids := v.n.kids()
	if len(kids) <= fewMembers {
		for i := range kids {
			if c := strings.Compare(kids[i].key, key); c >= 0 {
				return i, c == 0
			}
		}
		return len(kids), false
	}
	low, high := 0, len(kids)
	for low < high {
		mid := int(uint(low+high) / 2)
		switch c := strings.Compare(kids[mid].key, key); {
		case c == 0:
			return mid, true
		case c < 0:
			low = mid + 1
		default:
			high = mid
		}
	}
	return low, false
}

// At returns the i-th item of a list or member of an object. It panics if there is
// none, as indexing a slice does.
func (v Value) At(i int) Value { return Value{&v.n.kids()[i]} }

// Key returns the key of an object's i-th member.
func (v Value) Key(i int) string { return v.n.kids()[i].key }

// Members iterates over an object's members in the order of their keys.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		for i := range v.n.kids() {
			if !yield(v.n.kids()[i].key, Value{&v.n.kids()[i]}) {
				return
			}
		}
	}
}

// Items iterates over a list's items.
func (v Value) Items() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != List {
			return
		}
		for i := range v.n.kids() {
			if !yield(i, Value{&v.n.kids()[i]}) {
				return
			}
		}
	}
}

// Text returns a string's text and whether the value is a string.
func (v Value) Text() (string, bool) {
	if v.Kind() != String {
		return "", false
	}
	if v.n.flags&escaped != 0 {
		return unescape(v.n.raw), true
	}
	return v.n.raw, true
}

// StringOr returns a string's text, or the given text if the value is no string.
func (v Value) StringOr(or string) string {
	if s, ok := v.Text(); ok {
		return s
	}
	return or
}

// Bool returns a boolean and whether the value is one.
func (v Value) Bool() (value, ok bool) {
	if v.Kind() != Bool {
		return false, false
	}
	return v.n.raw == "true", true
}

// IsInt reports whether the value is a number without fraction and exponent
// that fits an int64.
func (v Value) IsInt() bool { return v.Kind() == Number && v.n.flags&integer != 0 }

// Int returns an integer and whether the value is one (see IsInt).
func (v Value) Int() (int64, bool) {
	if !v.IsInt() {
		return 0, false
	}
	i, err := strconv.ParseInt(v.n.raw, 10, 64)
	return i, err == nil
}

// Float returns any number as a float64 and whether the value is a number.
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.n.raw, 64)
	return f, err == nil
}

// NumberText returns a number as it was written, "" if the value is no number.
func (v Value) NumberText() string {
	if v.Kind() != Number {
		return ""
	}
	return v.n.raw
}

// Identity identifies the items of a list or the members of an object: values
// with equal identities hold the very same part of one tree. It is comparable,
// and so may be the key of a map for what was computed from a list. An empty list
// or object has the zero Identity.
type Identity struct{ first unsafe.Pointer }

// Identity returns the identity of a list's items or an object's members.
func (v Value) Identity() Identity {
	if v.n == nil || v.n.count == 0 {
		return Identity{}
	}
	return Identity{v.n.first}
}

// SameNode reports whether a and b are the very same part of one tree, and therefore
// equal. If it returns false, they may be equal all the same.
func SameNode(a, b Value) bool {
	if a.n == b.n {
		return true
	}
	if a.n == nil || b.n == nil || a.n.kind != b.n.kind {
		return false
	}
	return a.n.count > 0 && a.n.count == b.n.count && a.n.first == b.n.first
}
