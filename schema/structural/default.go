package structural

import (
	"errors"

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

// maxDefaults is the maximum length in bytes of the defaults that are set in one object, as JSON.
// It is several times the size of the largest object that can be stored. Without it, a schema of a
// kilobyte whose defaults are lists of objects with such defaults again makes an object of any size.
const maxDefaults = 8 << 20

// ErrDefaults reports that the defaults of an object are longer than maxDefaults.
var ErrDefaults = errors.New("the defaults of the schema are longer than 8 MiB in this object")

// Default sets the defaults of missing members, in existing objects and in defaults
// themselves. A null that is not nullable is replaced by the default if there is one; this
// applies to list items too. The error is ErrDefaults.
func Default(t *schema.Type, v document.Value) (document.Value, error) {
	return DefaultUpdate(t, v, document.Value{})
}

// DefaultUpdate is Default for a value derived from live, a defaulted object. Parts that
// both share are skipped.
func DefaultUpdate(t *schema.Type, v, live document.Value) (document.Value, error) {
	f := filler{left: maxDefaults}
	out := f.value(t, v, live)
	if f.left < 0 {
		return v, ErrDefaults
	}
	return out, nil
}

// A filler sets defaults in an object.
type filler struct {
	// left is the number of bytes that further defaults may have, negative if there were more.
	left int
}

// take returns a default after it is counted, given its JSON and the name of its member.
func (f *filler) take(v document.Value, text, name string) document.Value {
	f.left -= len(text) + len(name)
	return v
}

func (f *filler) value(t *schema.Type, v, live document.Value) document.Value {
	if t == nil || f.left < 0 || remake.Shared(v, live) {
		return v
	}
	switch v.Kind() {
	case document.Object:
		if t.Map != nil {
			return f.object(t.Map, v, live)
		}
	case document.List:
		if t.List != nil {
			return f.list(t.List, v, live)
		}
	}
	return v
}

func (f *filler) object(m *schema.MapType, v, live document.Value) document.Value {
	b, before := rebuild{}, remake.EarlierOf(live)
	for i := range v.Len() {
		if member := v.At(i); isScalar(member) && !member.IsNull() {
			b.keep(v, i)
		} else {
			b.set(v, i, f.member(m, v.Key(i), member, before.Member(v.Key(i))))
		}
	}
	for _, fields := range [2][]schema.Field{m.Fields, m.Meta} {
		for i := range fields {
			field := &fields[i]
			if field.Default == "" {
				continue
			}
			if _, found := v.Find(field.Name); !found {
				b.begin(v, v.Len())
				b.members.Set(field.Name, f.value(field.Type, f.take(field.DefaultValue(), field.Default, field.Name), document.Value{}))
			}
		}
	}
	return b.object(v)
}

func (f *filler) member(m *schema.MapType, key string, v, live document.Value) document.Value {
	if field := ownField(m, key); field != nil {
		if v.IsNull() && !field.Type.Nullable && field.Default != "" {
			v = f.take(field.DefaultValue(), field.Default, "")
		}
		return f.value(field.Type, v, live)
	}
	elem := described(m.Elem)
	if elem != nil && v.IsNull() && !elem.Nullable && m.ElemDefault != "" {
		v = f.take(schema.ParseDefault(m.ElemDefault), m.ElemDefault, "")
	}
	return f.value(elem, v, live)
}

func (f *filler) list(l *schema.ListType, v, live document.Value) document.Value {
	b, before := rebuild{}, remake.EarlierOf(live)
	elem := described(l.Elem)
	from, to := before.Changed(v)
	for i := from; i < to && f.left >= 0; i++ {
		item := v.At(i)
		if elem != nil && item.IsNull() && !elem.Nullable && l.ElemDefault != "" {
			item = f.take(schema.ParseDefault(l.ElemDefault), l.ElemDefault, "")
		}
		b.set(v, i, f.value(elem, item, before.Item(v, i)))
	}
	return b.list(v, to)
}
