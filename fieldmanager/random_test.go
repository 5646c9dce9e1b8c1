package fieldmanager_test

import (
	"math/rand/v2"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// maker generates types, objects of these types and changes to objects.
type maker struct{ *rand.Rand }

func (r maker) oneIn(n int) bool { return r.IntN(n) == 0 }

// objectType generates the type of a kind.
func (r maker) objectType() *schema.Type {
	text := &schema.Type{Scalar: schema.StringScalar}
	texts := &schema.Type{Map: &schema.MapType{Elem: text}}
	meta := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "annotations", Type: texts}, {Name: "labels", Type: texts}, {Name: "name", Type: text},
	}}}
	return &schema.Type{Name: "Kind", Map: &schema.MapType{Fields: []schema.Field{
		{Name: "apiVersion", Type: text}, {Name: "kind", Type: text}, {Name: "metadata", Type: meta},
		{Name: "spec", Type: r.structType(3)}, {Name: "status", Type: r.structType(2)},
	}}}
}

func (r maker) structType(depth int) *schema.Type {
	m := &schema.MapType{Atomic: r.oneIn(12)}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		m.Fields = append(m.Fields, schema.Field{Name: name, Type: r.anyType(depth - 1)})
	}
	if r.oneIn(6) {
		m.PreserveUnknown, m.Elem = true, schema.Deduced()
	}
	return &schema.Type{Map: m}
}

func (r maker) anyType(depth int) *schema.Type {
	if depth <= 0 {
		return r.scalarType()
	}
	switch r.IntN(10) {
	case 0, 1:
		return r.scalarType()
	case 2, 3:
		return r.structType(depth)
	case 4:
		return &schema.Type{Map: &schema.MapType{Elem: r.anyType(depth - 1), Atomic: r.oneIn(8)}}
	case 5:
		return &schema.Type{List: &schema.ListType{Elem: r.anyType(depth - 1)}}
	case 6:
		return &schema.Type{List: &schema.ListType{Elem: r.scalarType(), Kind: schema.SetList}}
	case 7, 8:
		return r.keyedList(depth)
	}
	return schema.Deduced()
}

func (r maker) keyedList(depth int) *schema.Type {
	number := &schema.Type{Scalar: schema.IntegerScalar}
	text := &schema.Type{Scalar: schema.StringScalar}
	m := &schema.MapType{Fields: []schema.Field{
		{Name: "a", Type: r.anyType(depth - 1)}, {Name: "b", Type: r.anyType(depth - 1)},
		{Name: "k", Type: text}, {Name: "n", Type: number},
	}}
	l := &schema.ListType{Elem: &schema.Type{Map: m}, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "k"}}}
	if r.oneIn(2) {
		l.Keys = append(l.Keys, schema.Key{Name: "n"})
		if r.oneIn(2) {
			m.Fields[3].Default, l.Keys[1].Default = "1", "1"
		}
	}
	return &schema.Type{List: l}
}

func (r maker) scalarType() *schema.Type {
	kinds := []schema.Scalar{schema.StringScalar, schema.StringScalar, schema.IntegerScalar, schema.NumberScalar, schema.BooleanScalar, schema.IntOrStringScalar}
	return &schema.Type{Scalar: kinds[r.IntN(len(kinds))]}
}

func (r maker) text() string {
	words := []string{"x", "y", "z", "", "a b", `q"q`, "<&>", "é", "\n", "\u2028", ".", "f:x"}
	if r.oneIn(4) {
		return words[r.IntN(len(words))]
	}
	return words[r.IntN(3)]
}

func (r maker) number(whole bool) document.Value {
	if whole || r.oneIn(2) {
		if r.oneIn(20) {
			return document.NewInt([]int64{1 << 40, -7, 1000000, 9007199254740992}[r.IntN(4)])
		}
		return document.NewInt(int64(r.IntN(4)))
	}
	return document.NewFloat([]float64{1, 1.5, 2, 1e-7, 1e21, -0.5}[r.IntN(6)])
}

func (r maker) scalar(t *schema.Type) document.Value {
	switch t.Scalar {
	case schema.StringScalar:
		return document.NewString(r.text())
	case schema.IntegerScalar, schema.NumberScalar:
		return r.number(t.Scalar == schema.IntegerScalar && !r.oneIn(10))
	case schema.BooleanScalar:
		return document.NewBool(r.oneIn(2))
	}
	switch r.IntN(4) {
	case 0:
		return document.NewBool(r.oneIn(2))
	case 1:
		return r.number(false)
	}
	return document.NewString(r.text())
}

// value generates a value of a type. It may have duplicate items and rarely does not match
// the type.
func (r maker) value(t *schema.Type, depth int) document.Value {
	switch {
	case r.oneIn(25):
		return document.NewNull()
	case r.oneIn(300):
		return document.NewString("misfit")
	}
	var forms []int
	if t.Scalar != schema.NoScalar {
		forms = append(forms, 0)
	}
	if t.List != nil && (depth > 0 || len(forms) == 0) {
		forms = append(forms, 1)
	}
	if t.Map != nil && (depth > 0 || len(forms) == 0) {
		forms = append(forms, 2)
	}
	switch forms[r.IntN(len(forms))] {
	case 1:
		return r.list(t.List, depth)
	case 2:
		return r.object(t.Map, depth)
	}
	return r.scalar(t)
}

func (r maker) list(l *schema.ListType, depth int) document.Value {
	var b document.ListBuilder
	for range r.IntN(4) {
		v := r.value(l.Elem, depth-1)
		if l.Kind != schema.AtomicList && v.IsNull() && !r.oneIn(10) {
			continue
		}
		if l.Kind == schema.KeyedList && v.Kind() == document.Object && !r.oneIn(30) {
			v = v.With("k", document.NewString(r.text()))
		}
		b.Append(v)
	}
	return b.List()
}

func (r maker) object(m *schema.MapType, depth int) document.Value {
	var b document.ObjectBuilder
	for i := range m.Fields {
		if f := &m.Fields[i]; r.oneIn(2) {
			b.Set(f.Name, r.value(f.Type, depth-1))
		}
	}
	if m.Elem != nil {
		for range r.IntN(3) {
			b.Set(r.text(), r.value(m.Elem, depth-1))
		}
	}
	return b.Object()
}

// whole generates an object of a kind.
func (r maker) whole(t *schema.Type, apiVersion string) document.Value {
	v := document.NewObject().With("apiVersion", document.NewString(apiVersion)).With("kind", document.NewString("Kind"))
	meta := document.NewObject().With("name", document.NewString("object"))
	if r.oneIn(2) {
		meta = meta.With("labels", r.object(t.Map.Member("metadata").Map.Member("labels").Map, 2))
	}
	v = v.With("metadata", meta)
	for _, name := range []string{"spec", "status"} {
		if !r.oneIn(5) {
			v = v.With(name, r.value(t.Map.Member(name), 4))
		}
	}
	return v
}

// change generates a modified copy of an object: parts are removed, replaced or taken from
// another object.
func (r maker) change(v, other document.Value) document.Value {
	switch v.Kind() {
	case document.Object:
		var b document.ObjectBuilder
		for k, x := range v.Members() {
			switch {
			case k == "apiVersion" || k == "kind" || k == "name" || k == "k":
				b.Set(k, x)
			case r.oneIn(8):
			case r.oneIn(8) && other.Get(k).Exists():
				b.Set(k, other.Get(k))
			default:
				b.Set(k, r.change(x, other.Get(k)))
			}
		}
		for k, x := range other.Members() {
			if !v.Get(k).Exists() && r.oneIn(6) {
				b.Set(k, x)
			}
		}
		return b.Object()
	case document.List:
		var b document.ListBuilder
		for _, x := range v.Items() {
			if !r.oneIn(6) {
				b.Append(r.change(x, document.Value{}))
			}
			if r.oneIn(40) {
				b.Append(x)
			}
		}
		for _, x := range other.Items() {
			if r.oneIn(4) {
				b.Append(x)
			}
		}
		return b.List()
	}
	if other.Exists() && r.oneIn(5) {
		return other
	}
	return v
}

func (r maker) manager() string { return "m" + strconv.Itoa(r.IntN(4)) }
