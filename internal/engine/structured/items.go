package structured

import (
	"maps"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// appendItem appends the path element of a list item to dst. mismatch is why the item has
// none, otherwise 0. n describes the numbers in the element.
//
// The element of an item in a keyed list consists of the key fields that the item has or
// that have a default. Some key fields may be missing, which yields another element, but
// not all (Kubernetes 1.34 and later).
func appendItem(dst []byte, l *schema.ListType, item document.Value) (_ []byte, n number, mismatch Mismatch) {
	if len(l.Keys) == 0 {
		switch item.Kind() {
		case document.Object:
			return dst, 0, SetObject
		case document.List:
			return dst, 0, SetList
		case document.Null:
			return dst, 0, SetNull
		}
		return document.AppendElementValue(append(dst, "v:"...), item), numberOf(item), 0
	}
	switch item.Kind() {
	case document.Object:
	case document.Null:
		return dst, 0, KeyedNull
	default:
		return dst, 0, KeyedNotObject
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
		dst = append(document.AppendElementName(dst, k.Name), ':')
		if v.Exists() {
			dst = document.AppendElementValue(dst, v)
			n |= numberOf(v)
		} else {
			dst = append(dst, k.Default...)
		}
	}
	if !some {
		return dst, 0, KeyedNoKeys
	}
	return append(dst, '}'), n, 0
}

// number describes the numbers in an element.
type number uint8

const (
	// bigNumber: a number that a float64 may not represent, so that decoding changes it.
	bigNumber number = 1 << iota
	// bigFloat: a float64 beyond 2^53.
	bigFloat
)

func numberOf(v document.Value) number {
	switch v.Kind() {
	case document.Number:
		if len(v.NumberText()) < 16 && v.IsInt() {
			return 0
		}
		if f, _ := v.Float(); f < 1<<53 && f > -1<<53 {
			return 0
		}
		if v.IsInt() {
			return bigNumber
		}
		return bigNumber | bigFloat
	case document.Object, document.List:
		return bigNumber // it may contain one
	}
	return 0
}

// indexOf returns the index of a list. A list is indexed once per type.
func (w *work) indexOf(l *schema.ListType, list document.Value) *index {
	if list.Len() == 0 {
		return &w.none
	}
	key := listKey{list.Identity(), l}
	if x := w.indices[key]; x != nil {
		return x
	}
	x := &w.slab.indices.take(1)[0]
	*x = index{w: w, bad: -1}
	w.indices[key] = x
	n := list.Len()
	x.elements = w.slab.texts.take(n)
	ends := w.slab.ints.take(n)
	buf := w.scratch[:0]
	var numbers number
	for i := range n {
		from := len(buf)
		var num number
		var mismatch Mismatch
		if buf, num, mismatch = appendItem(buf, l, list.At(i)); mismatch != 0 {
			// For a list that was not validated: an element that equals no other.
			buf = strconv.AppendInt(append(buf[:from], "?:"...), int64(i), 10)
			if x.bad < 0 {
				x.bad, x.mismatch = i, mismatch
			}
		}
		numbers |= num
		ends[i] = int32(len(buf))
	}
	w.scratch = buf
	w.slab.cut(x.elements, buf, ends)
	w.big = w.big || numbers&bigNumber != 0
	if numbers&bigFloat != 0 {
		x.meet(bigFloats(l, list, x.elements))
	}
	x.link()
	return x
}

// bigFloats returns the elements of a list with a float64 beyond 2^53.
func bigFloats(l *schema.ListType, list document.Value, elements []string) map[string]bool {
	floats := map[string]bool{}
	for i, item := range list.Items() {
		if _, num, _ := appendItem(nil, l, item); num&bigFloat != 0 {
			floats[elements[i]] = true
		}
	}
	return floats
}

// indexPair returns the indices of two lists that will be matched.
func (w *work) indexPair(l *schema.ListType, one, two document.Value) (a, b *index) {
	a, b = w.indexOf(l, one), w.indexOf(l, two)
	if len(a.floats) == 0 && len(b.floats) == 0 {
		return a, b
	}
	floats := maps.Clone(a.floats)
	if floats == nil {
		floats = map[string]bool{}
	}
	maps.Copy(floats, b.floats)
	for _, x := range [...]*index{a, b} {
		if len(x.elements) > 0 {
			x.meet(floats)
			x.link()
		}
	}
	return a, b
}

// ItemElement returns the canonical path element of an item in a set or keyed list. ok is
// false if it has none.
func ItemElement(l *schema.ListType, item document.Value) (string, bool) {
	element, _, mismatch := appendItem(nil, l, item)
	return string(element), mismatch == 0
}
