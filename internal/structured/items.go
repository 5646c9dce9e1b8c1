package structured

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// appendItem appends the path element of a list's item to dst. The reason says
// why an item has none, "" where it has one.
//
// Of a keyed list it is made of the key fields that the item has or that have a
// default. An item may lack some of them, which then is another item than one
// that has them, but not all (Kubernetes 1.34 and later).
func appendItem(dst []byte, l *schema.ListType, item document.Value) (_ []byte, reason string) {
	if len(l.Keys) == 0 {
		switch item.Kind() {
		case document.Object:
			return dst, "an item of a set may not be an object"
		case document.List:
			return dst, "an item of a set may not be a list"
		case document.Null:
			return dst, "an item of a set may not be null"
		}
		return fieldset.AppendContent(append(dst, "v:"...), item, false), ""
	}
	if item.Kind() != document.Object {
		return dst, "an item of a list with keys must be an object, this is " + describe(item)
	}
	dst = append(dst, "k:{"...)
	some := false
	for i := range l.Keys {
		k := &l.Keys[i]
		v := item.Get(k.Name)
		if !v.Exists() && k.Default == "" {
			continue
		}
		if some {
			dst = append(dst, ',')
		}
		some = true
		dst = append(fieldset.AppendString(dst, k.Name), ':')
		if v.Exists() {
			dst = fieldset.AppendContent(dst, v, false)
		} else {
			dst = append(dst, k.Default...)
		}
	}
	if !some {
		return dst, "an item of this list needs at least one of its keys: " + keyNames(l)
	}
	return append(dst, '}'), ""
}

// ItemElement returns the path element of an item of a set or keyed list, and
// whether it has one.
func ItemElement(l *schema.ListType, item document.Value) (fieldset.Element, bool) {
	element, reason := appendItem(nil, l, item)
	return fieldset.Element(element), reason == ""
}

func keyNames(l *schema.ListType) string {
	s := ""
	for i, k := range l.Keys {
		if i > 0 {
			s += ", "
		}
		s += k.Name
	}
	return s
}

// An index holds the path elements of a list's items.
type index struct {
	elements []string
	// at leads from an element to its first item; nil where looking through
	// the elements is as quick.
	at map[string]int32
	// next leads from an item to the next with the same element, -1 for none;
	// nil where no element stands twice.
	next []int32
	// float says that an element is of a float64 beyond 2^53, which equals every
	// integer that it is the nearest float64 of.
	float bool
}

// fewItems is up to how many items a list is searched without a map.
const fewItems = 8

// indexList returns the path elements of the items, which must have them.
// An item that has none, which only a list that never was validated holds, gets
// an element that equals no other.
func indexList(l *schema.ListType, list document.Value) index {
	n := list.Len()
	if n == 0 {
		return index{}
	}
	x := index{elements: make([]string, n)}
	buf := make([]byte, 0, 64*n)
	ends := make([]int, n)
	for i := range n {
		var reason string
		from := len(buf)
		if buf, reason = appendItem(buf, l, list.At(i)); reason != "" {
			buf = append(buf[:from], "?:"...)
			buf = strconv.AppendInt(buf, int64(i), 10)
		}
		ends[i] = len(buf)
	}
	all, from := string(buf), 0
	for i, end := range ends {
		x.elements[i] = all[from:end]
		from = end
		x.float = x.float || fieldset.Big(x.elements[i]) && hasFloat(l, list.At(i))
	}
	if x.float {
		x.reread()
	}
	x.link()
	return x
}

// indexLists returns the indices of two lists whose items are to be matched.
func indexLists(l *schema.ListType, one, two document.Value) (a, b index) {
	a, b = indexList(l, one), indexList(l, two)
	if a.float != b.float {
		a.reread()
		a.link()
		b.reread()
		b.link()
	}
	return a, b
}

// reread takes integers beyond 2^53 for the float64 that is nearest.
func (x *index) reread() {
	for i, e := range x.elements {
		x.elements[i] = fieldset.Reread(e)
	}
}

// hasFloat reports whether a float64 tells the item from others.
func hasFloat(l *schema.ListType, item document.Value) bool {
	for i := range l.Keys {
		if v := item.Get(l.Keys[i].Name); v.Kind() == document.Number && !v.IsInt() {
			return true
		}
	}
	return item.Kind() == document.Number && !item.IsInt()
}

// link finds the elements that stand more than once.
func (x *index) link() {
	n := len(x.elements)
	x.next, x.at = nil, nil
	if n <= fewItems {
		for i := range n {
			for j := range i {
				if x.elements[i] == x.elements[j] && x.follower(j) < 0 {
					x.follow(j, i)
				}
			}
		}
		return
	}
	x.at = make(map[string]int32, n)
	for i, e := range x.elements {
		j, found := x.at[e]
		if !found {
			x.at[e] = int32(i)
			continue
		}
		for x.follower(int(j)) >= 0 {
			j = x.next[j]
		}
		x.follow(int(j), i)
	}
}

func (x *index) follow(j, i int) {
	if x.next == nil {
		x.next = make([]int32, len(x.elements))
		for k := range x.next {
			x.next[k] = -1
		}
	}
	x.next[j] = int32(i)
}

// follower returns the next item with the element of item i, -1 where there is none.
func (x *index) follower(i int) int {
	if x.next == nil {
		return -1
	}
	return int(x.next[i])
}

// find returns the first item with an element, -1 where there is none.
func (x *index) find(element string) int {
	if x.at != nil {
		if i, ok := x.at[element]; ok {
			return int(i)
		}
		return -1
	}
	for i, e := range x.elements {
		if e == element {
			return i
		}
	}
	return -1
}

// findRead is find for an element that has been read back from a field set.
func (x *index) findRead(element string) int {
	if i := x.find(element); i >= 0 || !fieldset.Big(element) {
		return i
	}
	for i, e := range x.elements {
		if fieldset.Reread(e) == element {
			return i
		}
	}
	return -1
}

// isFirst reports whether item i is the first of its element.
func (x *index) isFirst(i int) bool {
	return x.next == nil || x.find(x.elements[i]) == i
}
