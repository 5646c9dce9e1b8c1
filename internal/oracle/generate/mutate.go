package generate

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Mutate returns v, of type t, with random changes: members and items are added, removed,
// changed and moved. The identity of an object is kept.
func (g *Generator) Mutate(v document.Value, t *schema.Type) document.Value {
	if g.depth == 0 && v.Get("apiVersion").Exists() {
		return g.mutateObject(v, t)
	}
	return g.mutate(v, t)
}

// mutateObject keeps apiVersion, kind, name and namespace.
func (g *Generator) mutateObject(v document.Value, t *schema.Type) document.Value {
	out := g.mutate(v, t)
	if out.Kind() != document.Object {
		return v
	}
	for _, keys := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		if len(keys) > 1 && out.Get("metadata").Kind() != document.Object {
			out = out.With("metadata", document.NewObject())
		}
		out = out.Set(v.Lookup(keys...), keys...)
	}
	return out
}

func (g *Generator) mutate(v document.Value, t *schema.Type) document.Value {
	g.depth++
	defer func() { g.depth-- }()
	switch v.Kind() {
	case document.Object:
		return g.mutateMembers(v, t)
	case document.List:
		return g.mutateItems(v, t, nil)
	}
	if g.chance(4) {
		return g.Value(t)
	}
	return v
}

func (g *Generator) mutateMembers(v document.Value, t *schema.Type) document.Value {
	var m *schema.MapType
	if t != nil {
		m = t.Map
	}
	defer g.amid(v)()
	var b document.ObjectBuilder
	rate := g.rate(v)
	for i := range v.Len() {
		key, val := v.Key(i), v.At(i)
		switch f := m.Field(key); {
		case !rate.touches():
			b.Keep(v, i)
		case g.chance(8):
		case !g.chance(2):
			b.Keep(v, i)
		case f != nil && f.MergeKey != "" && val.Kind() == document.List:
			b.Set(key, g.mutateItems(val, f.Type, f))
		default:
			b.Set(key, g.mutate(val, m.Member(key)))
		}
	}
	if m != nil && g.chance(3) {
		if len(m.Fields) > 0 {
			f := &m.Fields[g.IntN(len(m.Fields))]
			b.Set(f.Name, g.field(f))
		}
		if m.Elem != nil {
			b.Set(g.mapKey(), g.Value(m.Elem))
		}
	}
	return b.Object()
}

// mutateItems changes a list. f is its field if that merges by a key, which is then kept.
func (g *Generator) mutateItems(v document.Value, t *schema.Type, f *schema.Field) document.Value {
	var elem *schema.Type
	var keys []string
	if t != nil && t.List != nil {
		elem = t.List.Elem
		for _, k := range t.List.Keys {
			keys = append(keys, k.Name)
		}
	}
	if f != nil {
		keys = append(keys, f.MergeKey)
	}
	defer g.amid(v)()
	items := make([]document.Value, 0, v.Len()+1)
	rate := g.rate(v)
	for _, item := range v.Items() {
		switch {
		case !rate.touches():
			items = append(items, item)
		case g.chance(6):
		case g.chance(2):
			now := g.mutate(item, elem)
			for _, k := range keys {
				if now.Kind() == document.Object {
					now = now.With(k, item.Get(k))
				}
			}
			items = append(items, now)
		default:
			items = append(items, item)
		}
	}
	if g.chance(3) {
		items = g.insert(items, g.Value(elem))
	}
	if g.chance(4) {
		g.shuffle(items)
	}
	list := document.NewList(items...)
	if t != nil && t.List != nil && t.List.Kind == schema.SetList {
		list = g.distinct(list)
	}
	if len(keys) == 0 || elem == nil {
		return list
	}
	return g.keyed(list, keys, elem.Map.Member)
}

func (g *Generator) distinct(list document.Value) document.Value {
	var b document.ListBuilder
	seen := map[string]bool{}
	for _, item := range list.Items() {
		if s := item.String(); !seen[s] || g.odd() {
			seen[s] = true
			b.Append(item)
		}
	}
	return b.List()
}
