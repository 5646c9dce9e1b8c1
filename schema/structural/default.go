package structural

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/schema"
)

// DropNulls removes null members of v that t neither declares nullable nor gives a default.
// [Default] handles those with a default; null list items are kept.
func DropNulls(t *schema.Type, v document.Value) document.Value {
	return DropNullsUpdate(t, v, document.Value{})
}

// DropNullsUpdate is DropNulls for a value derived from live, an object without anything to
// drop. Parts that both share are skipped.
func DropNullsUpdate(t *schema.Type, v, live document.Value) document.Value {
	if remake.Shared(v, live) {
		return v
	}
	before := remake.EarlierOf(live)
	switch v.Kind() {
	case document.Object:
		if t == nil || t.Map == nil {
			return v
		}
		var b rebuild
		for i := range v.Len() {
			member := v.At(i)
			if isScalar(member) && !member.IsNull() {
				b.keep(v, i)
				continue
			}
			known, def := ownMember(t.Map, v.Key(i))
			switch {
			case known == nil:
				b.keep(v, i)
			case !member.IsNull():
				b.set(v, i, DropNullsUpdate(known, member, before.Member(v.Key(i))))
			case known.Nullable || def:
				b.keep(v, i)
			default:
				b.drop(v, i)
			}
		}
		return b.object(v)
	case document.List:
		if t == nil || t.List == nil {
			return v
		}
		var b rebuild
		elem := described(t.List.Elem)
		from, to := before.Changed(v)
		for i := from; i < to; i++ {
			b.set(v, i, DropNullsUpdate(elem, v.At(i), before.Item(v, i)))
		}
		return b.list(v, to)
	}
	return v
}

// ownMember returns the schema's own type of a member, nil if it has none, and whether it
// has a default.
func ownMember(m *schema.MapType, key string) (*schema.Type, bool) {
	if f := ownField(m, key); f != nil {
		return f.Type, f.Default != ""
	}
	return described(m.Elem), m.ElemDefault != ""
}

// ownField returns a field as the schema itself declares it; for apiVersion, kind and
// metadata this is not the type common to all objects.
func ownField(m *schema.MapType, key string) *schema.Field {
	if m.Object && isMeta(key) {
		for i := range m.Meta {
			if m.Meta[i].Name == key {
				return &m.Meta[i]
			}
		}
		return nil
	}
	return m.Field(key)
}

// Default sets the defaults of missing members, in existing objects and in defaults
// themselves. A null that is not nullable is replaced by the default if there is one; this
// applies to list items too.
func Default(t *schema.Type, v document.Value) document.Value {
	return DefaultUpdate(t, v, document.Value{})
}

// DefaultUpdate is Default for a value derived from live, a defaulted object. Parts that
// both share are skipped.
func DefaultUpdate(t *schema.Type, v, live document.Value) document.Value {
	if t == nil || remake.Shared(v, live) {
		return v
	}
	switch v.Kind() {
	case document.Object:
		if t.Map != nil {
			return defaultObject(t.Map, v, live)
		}
	case document.List:
		if t.List != nil {
			return defaultList(t.List, v, live)
		}
	}
	return v
}

func defaultObject(m *schema.MapType, v, live document.Value) document.Value {
	b, before := rebuild{}, remake.EarlierOf(live)
	for i := range v.Len() {
		if member := v.At(i); isScalar(member) && !member.IsNull() {
			b.keep(v, i)
		} else {
			b.set(v, i, defaultMember(m, v.Key(i), member, before.Member(v.Key(i))))
		}
	}
	for _, fields := range [2][]schema.Field{m.Fields, m.Meta} {
		for i := range fields {
			f := &fields[i]
			if f.Default == "" {
				continue
			}
			if _, found := v.Find(f.Name); !found {
				b.begin(v, v.Len())
				b.members.Set(f.Name, Default(f.Type, f.DefaultValue()))
			}
		}
	}
	return b.object(v)
}

func defaultMember(m *schema.MapType, key string, v, live document.Value) document.Value {
	if f := ownField(m, key); f != nil {
		if v.IsNull() && !f.Type.Nullable && f.Default != "" {
			v = f.DefaultValue()
		}
		return DefaultUpdate(f.Type, v, live)
	}
	elem := described(m.Elem)
	if elem != nil && v.IsNull() && !elem.Nullable && m.ElemDefault != "" {
		v = schema.ParseDefault(m.ElemDefault)
	}
	return DefaultUpdate(elem, v, live)
}

func defaultList(l *schema.ListType, v, live document.Value) document.Value {
	b, before := rebuild{}, remake.EarlierOf(live)
	elem := described(l.Elem)
	from, to := before.Changed(v)
	for i := from; i < to; i++ {
		item := v.At(i)
		if elem != nil && item.IsNull() && !elem.Nullable && l.ElemDefault != "" {
			item = schema.ParseDefault(l.ElemDefault)
		}
		b.set(v, i, DefaultUpdate(elem, item, before.Item(v, i)))
	}
	return b.list(v, to)
}
