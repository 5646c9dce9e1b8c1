package generate

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Request is a change to an object by one of a few managers.
type Request struct {
	// Apply reports whether Body is a configuration to apply; otherwise it is the whole
	// object after another change.
	Apply, Force bool
	Manager      string
	Body         document.Value
}

// Request generates a request that changes live, an object of kind k or an absent value. It
// often contains fields of live, so that managers share them.
func (g *Generator) Request(k *schema.Kind, live document.Value) Request {
	r := Request{Apply: g.IntN(3) > 0, Force: g.chance(3), Manager: [...]string{"alice", "bob", "carol", "kubectl"}[g.IntN(4)]}
	switch {
	case live.Kind() != document.Object || g.chance(5):
		r.Body = g.Object(k)
	case r.Apply && g.chance(2):
		r.Body = g.part(live, k.Type())
	default:
		r.Body = g.Mutate(live, k.Type())
	}
	r.Body = r.Body.Remove("metadata", "managedFields") // generated elsewhere
	return r
}

// part returns some of the members and items of v, as in a configuration.
func (g *Generator) part(v document.Value, t *schema.Type) document.Value {
	out := g.some(v, t)
	for _, keys := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		if len(keys) > 1 && out.Get("metadata").Kind() != document.Object {
			out = out.With("metadata", document.NewObject())
		}
		out = out.Set(v.Lookup(keys...), keys...)
	}
	return out
}

func (g *Generator) some(v document.Value, t *schema.Type) document.Value {
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		rate := g.rate(v)
		for i := range v.Len() {
			if rate.touches() && g.chance(3) {
				continue
			}
			var kid *schema.Type
			if t != nil {
				kid = t.Map.Member(v.Key(i))
			}
			b.Set(v.Key(i), g.some(v.At(i), kid))
		}
		return b.Object()
	case document.List:
		if t == nil || t.List == nil || t.List.Kind == schema.AtomicList {
			return v
		}
		var b document.ListBuilder
		rate := g.rate(v)
		for _, item := range v.Items() {
			if rate.touches() && g.chance(3) {
				continue
			}
			part := g.some(item, t.List.Elem)
			for _, k := range t.List.Keys {
				if part.Kind() == document.Object {
					part = part.Set(item.Get(k.Name), k.Name)
				}
			}
			b.Append(part)
		}
		return b.List()
	}
	return v
}

// Kind generates a custom resource whose type has lists and maps of every merge behavior.
func (g *Generator) Kind(apiVersion string) *schema.Kind {
	text := &schema.Type{Scalar: schema.StringScalar}
	texts := &schema.Type{Map: &schema.MapType{Elem: text}}
	meta := structOf(map[string]*schema.Type{
		"annotations": texts, "labels": texts, "name": text, "namespace": text, "uid": text,
		"managedFields": {List: &schema.ListType{Elem: schema.Deduced()}},
		"finalizers":    {List: &schema.ListType{Elem: text, Kind: schema.SetList}},
	})
	group, version, _ := schema.SplitAPIVersion(apiVersion)
	return schema.NewKind(schema.GroupVersionKind{Group: group, Version: version, Kind: "Thing"}, structOf(map[string]*schema.Type{
		"apiVersion": text, "kind": text, "metadata": meta, "spec": g.structType(4), "status": g.structType(3),
	}))
}

// Changed returns a kind after a change of its CRD: some lists and maps become atomic or
// cease to be.
func (g *Generator) Changed(k *schema.Kind) *schema.Kind {
	t := *k.Type()
	m := *t.Map
	t.Map, m.Fields = &m, append([]schema.Field(nil), m.Fields...)
	for i := range m.Fields {
		if f := &m.Fields[i]; f.Name == "spec" || f.Name == "status" {
			f.Type = g.changed(f.Type)
		}
	}
	return schema.NewKind(k.GroupVersionKind, &t)
}

func (g *Generator) changed(t *schema.Type) *schema.Type {
	if t == nil || t == schema.Deduced() || t.Map == nil && t.List == nil {
		return t
	}
	out := *t
	if t.Map != nil {
		m := *t.Map
		m.Fields = append([]schema.Field(nil), m.Fields...)
		for i := range m.Fields {
			m.Fields[i].Type = g.changed(m.Fields[i].Type)
		}
		m.Elem = g.changed(m.Elem)
		m.Atomic = m.Atomic != g.chance(6)
		out.Map = &m
	}
	if t.List != nil {
		l := *t.List
		switch scalars := l.Elem != nil && l.Elem.Map == nil && l.Elem.List == nil; {
		case !g.chance(4):
			l.Elem = g.changed(l.Elem)
		case l.Kind != schema.AtomicList:
			l.Kind, l.Keys = schema.AtomicList, nil
		case scalars:
			l.Kind = schema.SetList
		}
		out.List = &l
	}
	return &out
}

func structOf(fields map[string]*schema.Type) *schema.Type {
	m := &schema.MapType{}
	for _, name := range [...]string{"annotations", "apiVersion", "finalizers", "k", "kind", "labels", "managedFields", "metadata", "n", "name", "namespace", "p", "q", "r", "s", "spec", "status", "t", "uid"} {
		if t := fields[name]; t != nil {
			m.Fields = append(m.Fields, schema.Field{Name: name, Type: t})
		}
	}
	return &schema.Type{Map: m}
}

func (g *Generator) structType(depth int) *schema.Type {
	fields := map[string]*schema.Type{}
	for _, name := range [...]string{"p", "q", "r", "s", "t"} {
		fields[name] = g.typeOf(depth - 1)
	}
	t := structOf(fields)
	t.Map.Atomic = g.chance(12)
	if g.chance(6) {
		t.Map.PreserveUnknown, t.Map.Elem = true, schema.Deduced()
	}
	return t
}

func (g *Generator) typeOf(depth int) *schema.Type {
	if depth <= 0 {
		return g.scalarType()
	}
	switch g.IntN(10) {
	case 0, 1:
		return g.scalarType()
	case 2, 3:
		return g.structType(depth)
	case 4:
		return &schema.Type{Map: &schema.MapType{Elem: g.typeOf(depth - 1), Atomic: g.chance(8)}}
	case 5:
		return &schema.Type{List: &schema.ListType{Elem: g.typeOf(depth - 1)}}
	case 6:
		return &schema.Type{List: &schema.ListType{Elem: g.scalarType(), Kind: schema.SetList}}
	case 7, 8:
		return g.keyedType(depth)
	}
	return schema.Deduced()
}

func (g *Generator) keyedType(depth int) *schema.Type {
	t := structOf(map[string]*schema.Type{
		"p": g.typeOf(depth - 1), "q": g.typeOf(depth - 1),
		"k": {Scalar: schema.StringScalar}, "n": {Scalar: schema.IntegerScalar},
	})
	l := &schema.ListType{Elem: t, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "k"}}}
	if g.chance(2) {
		l.Keys = append(l.Keys, schema.Key{Name: "n"})
		if g.chance(2) {
			t.Map.Fields[1].Default, l.Keys[1].Default = "81", "81"
		}
	}
	return &schema.Type{List: l}
}

func (g *Generator) scalarType() *schema.Type {
	kinds := [...]schema.Scalar{schema.StringScalar, schema.StringScalar, schema.IntegerScalar, schema.NumberScalar, schema.BooleanScalar, schema.IntOrStringScalar}
	return &schema.Type{Scalar: kinds[g.IntN(len(kinds))]}
}
