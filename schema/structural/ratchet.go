package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// unchanged reports whether a value equals the old one as far as the schema determines: an
// object with unknown members is always changed, and items of keyed lists are compared by
// key (apiserver's cel/common, CorrelatedObject).
func unchanged(t *schema.Type, v, old document.Value) bool {
	if v.Kind() != old.Kind() {
		return false
	}
	switch v.Kind() {
	case document.Object:
		if v.Len() != old.Len() {
			return false
		}
		for i := range v.Len() {
			before := old.Get(v.Key(i))
			known := knownMember(t, v.Key(i))
			if known == nil || !before.Exists() || !unchanged(known, v.At(i), before) {
				return false
			}
		}
		return true
	case document.List:
		if t == nil || t.List == nil || t.List.Kind != schema.KeyedList {
			break
		}
		if v.Len() != old.Len() {
			return false
		}
		match := correlate(t.List, v, old)
		for _, item := range v.Items() {
			before := match.old(item)
			if !before.Exists() || !unchanged(t.List.Elem, item, before) {
				return false
			}
		}
		return true
	}
	return document.Identical(v, old)
}

// correlation maps the items of a keyed list to the old items. Items of other lists have no
// old item.
type correlation struct {
	list   *schema.ListType
	before document.Value
	index  map[string]document.Value
}

func correlate(l *schema.ListType, v, old document.Value) correlation {
	c := correlation{list: l}
	if l.Kind != schema.KeyedList || old.Kind() != document.List || v.Len() == 0 {
		return c
	}
	c.before = old
	if old.Len() > few {
		c.index = make(map[string]document.Value, old.Len())
		for _, item := range old.Items() {
			key := string(appendIdentity(nil, itemKey(l, item, true)))
			if _, taken := c.index[key]; !taken && hasKeys(l, item) {
				c.index[key] = item
			}
		}
	}
	return c
}

// old returns the first old item with the same keys; absent if the item lacks a key.
func (c *correlation) old(item document.Value) document.Value {
	if !c.before.Exists() || !hasKeys(c.list, item) {
		return document.Value{}
	}
	key := itemKey(c.list, item, true)
	if c.index != nil {
		return c.index[string(appendIdentity(nil, key))]
	}
	for _, o := range c.before.Items() {
		if hasKeys(c.list, o) && same(itemKey(c.list, o, true), key) {
			return o
		}
	}
	return document.Value{}
}

func hasKeys(l *schema.ListType, item document.Value) bool {
	for _, k := range l.Keys {
		switch item.Get(k.Name).Kind() {
		case document.String, document.Number, document.Bool:
		default:
			return false
		}
	}
	return true
}
