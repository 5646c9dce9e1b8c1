package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// unchanged reports whether a value is the old one, as far as the schema can
// tell: members that it does not know make an object a changed one, and items of
// keyed lists are compared by their keys (apiserver's cel/common,
// CorrelatedObject).
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

// correlation finds the old items of a keyed list. Items of other lists have none.
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

// old returns the first old item of the same keys. An item that lacks one has no
// old one.
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
