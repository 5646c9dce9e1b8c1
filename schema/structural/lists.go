package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// uniqueness validates that the items of sets and keyed lists are unique.
func (c *validator) uniqueness(t *schema.Type, v, valid document.Value) {
	if t == nil || remake.Shared(v, valid) {
		return
	}
	switch v.Kind() {
	case document.Object:
		if t.Map == nil {
			return
		}
		before := remake.EarlierOf(valid)
		for i := range v.Len() {
			if isScalar(v.At(i)) {
				continue
			}
			key := v.Key(i)
			own := knownMember(t, key)
			start := len(c.errs)
			c.uniqueness(own, v.At(i), before.Member(key))
			c.belowMember(start, t, key)
		}
	case document.List:
		if t.List != nil {
			c.uniqueItems(t.List, v, valid)
		}
	}
}

func (c *validator) uniqueItems(l *schema.ListType, v, valid document.Value) {
	before := remake.EarlierOf(valid)
	from, to := before.Changed(v)
	switch {
	case l.Kind == schema.SetList:
		for _, i := range duplicates(listItems(v)) {
			c.duplicate(i, v.At(i))
		}
	case l.Kind == schema.KeyedList && !sameKeys(l, v, valid, from, to):
		c.keyedItems(l, v)
	}
	elem := described(l.Elem)
	if flat(elem) {
		return
	}
	for i := from; i < to; i++ {
		start := len(c.errs)
		c.uniqueness(elem, v.At(i), before.Item(v, i))
		c.below(start, document.IndexStep(i))
	}
}

// flat reports whether values of a type have only scalars as members, and therefore contain
// neither embedded objects nor lists. It is true for nil, the type of values that are not
// validated.
func flat(t *schema.Type) bool {
	switch {
	case t == nil:
		return true
	case t.List != nil || t.Embedded:
		return false
	case t.Map == nil:
		return true
	case t.Map.Object || described(t.Map.Elem) != nil:
		return false
	}
	for i := range t.Map.Fields {
		if field := t.Map.Fields[i].Type; field.List != nil || field.Map != nil {
			return false
		}
	}
	return true
}

// sameKeys reports whether each item of v, a keyed list, has the same keys as the item at its
// index in valid. As the keys in valid are unique, those in v then are too. Only the items
// with indices from up to but not including to are compared; v and valid share the others.
func sameKeys(l *schema.ListType, v, valid document.Value, from, to int) bool {
	if valid.Kind() != document.List || valid.Len() != v.Len() {
		return false
	}
	for i := from; i < to; i++ {
		item, was := v.At(i), valid.At(i)
		for _, k := range l.Keys {
			if key := item.Get(k.Name); !key.Exists() || !document.Identical(key, was.Get(k.Name)) {
				return false
			}
		}
	}
	return true
}

func (c *validator) keyedItems(l *schema.ListType, v document.Value) {
	for i, item := range v.Items() {
		if item.Kind() != document.Object && !item.IsNull() {
			start := len(c.errs)
			c.add(schema.ErrorInvalid, item, "must be an object for an array of list-type map")
			c.below(start, document.IndexStep(i))
			return
		}
	}
	if v.Len() > 1 {
		for _, i := range duplicates(keyItems(l, v)) {
			c.duplicate(i, itemKey(l, v.At(i), true))
		}
	}
}

func (c *validator) duplicate(i int, v document.Value) {
	start := len(c.errs)
	c.add(schema.ErrorDuplicate, v, "")
	c.below(start, document.IndexStep(i))
}

// itemKey returns the key of an item in a keyed list: the value of the only key field,
// absent if the item lacks it, or an object of all key fields. With whole it is always an
// object.
func itemKey(l *schema.ListType, item document.Value, whole bool) document.Value {
	if len(l.Keys) == 1 && !whole {
		return item.Get(l.Keys[0].Name)
	}
	var b document.ObjectBuilder
	for _, k := range l.Keys {
		b.Set(k.Name, item.Get(k.Name))
	}
	return b.Object()
}

// few is the number of items up to which pairwise comparison is used in place of an index.
const few = 12

// A sequence is n values to compare.
type sequence struct {
	n  int
	at func(i int) document.Value
}

func listItems(v document.Value) sequence { return sequence{v.Len(), v.At} }

func keyItems(l *schema.ListType, v document.Value) sequence {
	return sequence{v.Len(), func(i int) document.Value { return itemKey(l, v.At(i), false) }}
}

// duplicates returns the index of the second occurrence of each repeated value. The scalars
// 1 and 1.0 are different values, but inside a list or an object 1 equals 1.0.
func duplicates(s sequence) []int {
	if s.n <= 1 {
		return nil
	}
	var found []int
	if s.n <= few {
		for i := 1; i < s.n; i++ {
			times := 0
			v := s.at(i)
			for j := range i {
				if same(s.at(j), v) {
					times++
				}
			}
			if times == 1 {
				found = append(found, i)
			}
		}
		return found
	}
	if s.ascends() {
		return nil
	}
	seen := make(map[string]int, s.n)
	var buf []byte
	for i := range s.n {
		buf = appendIdentity(buf[:0], s.at(i))
		times := seen[string(buf)]
		seen[string(buf)] = times + 1
		if times == 1 {
			found = append(found, i)
		}
	}
	return found
}

// ascends reports whether the values are strings in ascending order and thus distinct.
func (s sequence) ascends() bool {
	last := ""
	for i := range s.n {
		text, ok := s.at(i).Text()
		if !ok || i > 0 && text <= last {
			return false
		}
		last = text
	}
	return true
}

func same(a, b document.Value) bool {
	if a.Kind() == document.Object || a.Kind() == document.List {
		return document.Equal(a, b)
	}
	return document.Identical(a, b)
}

// appendIdentity appends a text that is equal for equal values only.
func appendIdentity(dst []byte, v document.Value) []byte {
	if v.Kind() == document.Number && !v.IsInt() {
		dst = append(dst, 'f')
	}
	return v.AppendJSON(dst)
}
