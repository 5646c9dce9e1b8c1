// Package document represents Kubernetes objects as parsed, immutable JSON values.
//
// Bytes are parsed once ([Parse], [ParseYAML], [Read]) and printed once
// ([Value.AppendJSON], [Value.YAML]). In between, all packages pass a [Value], a handle to
// a node of a tree over the parsed bytes. A change creates a new value that shares the
// unchanged parts ([Value.With], [Value.Set], [ObjectBuilder], [ListBuilder]). No value is
// ever modified, so values are safe for concurrent use.
//
// A [Path] identifies a part of a value, [Document.Position] returns its line and column,
// and [Equal], [Identical] and [Compare] compare values.
//
// All values satisfy these invariants:
//
//   - The members of an object are sorted by key, byte by byte, and keys are
//     unique. A lookup is a binary search, and printing yields the order in
//     which the API server prints maps.
//   - A string is valid UTF-8. Invalid bytes are replaced by U+FFFD, as in
//     encoding/json.
//   - A number keeps its spelling until it is printed. A number without fraction
//     and exponent that fits an int64 is an integer, as in Kubernetes'
//     unstructured objects; any other number is a float64.
//
// The printed form is that of encoding/json, and thus of the API server: sorted keys, no
// white space, and <, > and & escaped.
package document

import (
	"iter"
	"strconv"
	"strings"
	"unsafe"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of a value. Absent is the kind of the zero Value, which represents a missing
// value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	List
	Object
)

// String returns the kind's name for messages.
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
	// canonical: raw is the printed form (of a string, the text between the quotes), so
	// that printing copies it.
	canonical flags = 1 << iota
	// escaped: raw is a string's text with escapes.
	escaped
	// integer: the number is an integer as defined in the package comment.
	integer
	// keyCanonical: key needs no escape when printed.
	keyCanonical
	// fromSource: raw is part of the parsed text.
	fromSource
	// shell: the object contains nothing but shells, such as a field set. The flag may be
	// missing.
	shell
	// kidsDeferred: first points to a deferred. It is the highest flag, so that a comparison
	// finds it; with a mask, At would exceed the compiler's limit for inlining.
	kidsDeferred
)

// A node is one value and, for a member of an object, its key. Nodes are stored by value in
// their parent's kids and are immutable once published.
type node struct {
	raw   string // scalars: the text; lists and objects: the span in the source, if any
	key   string
	first unsafe.Pointer // *node: the first of count contiguous kids
	count uint32
	kind  Kind
	flags flags
}

// kids returns the members or items of n. A pointer and a count make a node smaller than a
// slice would.
func (n *node) kids() []node {
	if n.flags >= kidsDeferred {
		return n.open()
	}
	return unsafe.Slice((*node)(n.first), n.count)
}

// container returns the node of a list or an object with the given kids.
func container(kind Kind, kids []node) node {
	return node{first: unsafe.Pointer(unsafe.SliceData(kids)), count: uint32(len(kids)), kind: kind}
}

// Value is a JSON value. The zero Value is Absent. Values are immutable and safe for
// concurrent use.
type Value struct{ n *node }

// Kind returns the kind of the value; it is Absent for the zero Value.
func (v Value) Kind() Kind {
	if v.n == nil {
		return Absent
	}
	return v.n.kind
}

// Exists reports whether the value is not Absent. Null exists.
func (v Value) Exists() bool { return v.n != nil }

// IsNull reports whether the value is null. An absent value is not null.
func (v Value) IsNull() bool { return v.Kind() == Null }

// Len returns the number of members of an object or items of a list, and 0 for other
// values.
func (v Value) Len() int {
	if v.n == nil {
		return 0
	}
	return int(v.n.count)
}

// Get returns the object's member with the given key. It is absent if there is none or if
// the value is not an object.
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

// fewMembers is the number of members up to which a linear search is faster: most keys
// differ in length.
const fewMembers = 8

// MemberText returns the text of the member with the given key and whether it is a string.
// It equals Get(key).Text() but creates no node in a lazily parsed value.
func (v Value) MemberText(key string) (string, bool) {
	if v.n != nil && v.n.flags&kidsDeferred != 0 && v.n.kind == Object {
		if text, found := v.n.peekText(key); found {
			return text, true
		}
	}
	return v.Get(key).Text()
}

// Find returns the index of the object's member with the given key and true, or the index
// at which it would be inserted and false. For a value that is not an object it returns 0
// and false.
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

// At returns the i-th item of a list or member of an object. It panics if i is out of
// range.
func (v Value) At(i int) Value { return Value{&v.n.kids()[i]} }

// Key returns the key of the object's i-th member. It panics if i is out of range.
func (v Value) Key(i int) string { return v.n.kids()[i].key }

// Members iterates over the object's members in ascending order of keys. A value that is
// not an object has none.
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

// Items iterates over the list's items. A value that is not a list has none.
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

// Strings returns the texts of the items of a list. Items that are not strings are left out; a
// value that is not a list has none.
func (v Value) Strings() []string {
	if v.Kind() != List {
		return nil
	}
	texts := make([]string, 0, v.Len())
	for _, item := range v.Items() {
		if text, ok := item.Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Text returns the text of a string. The second result is false for other kinds.
func (v Value) Text() (string, bool) {
	if v.Kind() != String {
		return "", false
	}
	if v.n.flags&escaped != 0 {
		return unescape(v.n.raw), true
	}
	return v.n.raw, true
}

// StringOr returns the text of a string, or the argument if the value is not a string.
func (v Value) StringOr(or string) string {
	if s, ok := v.Text(); ok {
		return s
	}
	return or
}

// Bool returns the value of a boolean. ok is false for other kinds.
func (v Value) Bool() (value, ok bool) {
	if v.Kind() != Bool {
		return false, false
	}
	return v.n.raw == "true", true
}

// IsInt reports whether the value is a number without fraction and exponent that fits an
// int64.
func (v Value) IsInt() bool { return v.Kind() == Number && v.n.flags&integer != 0 }

// Int returns the value of an integer and whether it is one (see IsInt).
func (v Value) Int() (int64, bool) {
	if !v.IsInt() {
		return 0, false
	}
	i, err := strconv.ParseInt(v.n.raw, 10, 64)
	return i, err == nil
}

// Float returns the value of any number as a float64 and whether it is a number.
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.n.raw, 64)
	return f, err == nil
}

// NumberText returns a number as it was written, or "" if the value is not a number.
func (v Value) NumberText() string {
	if v.Kind() != Number {
		return ""
	}
	return v.n.raw
}

// Identity identifies the items of a list or the members of an object: values with equal
// identities share the same part of one tree. It is comparable, so it can be the key of a
// map that caches data derived from a list. An empty list or object has the zero Identity.
type Identity struct{ first unsafe.Pointer }

// Identity returns the identity of a list's items or an object's members.
func (v Value) Identity() Identity {
	if v.n == nil || v.n.count == 0 {
		return Identity{}
	}
	return Identity{v.n.first}
}

// SameNode reports whether a and b are the same part of one tree and thus equal. It may
// return false for equal values.
func SameNode(a, b Value) bool {
	if a.n == b.n {
		return true
	}
	if a.n == nil || b.n == nil || a.n.kind != b.n.kind {
		return false
	}
	return a.n.count > 0 && a.n.count == b.n.count && a.n.first == b.n.first
}
