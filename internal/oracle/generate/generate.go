// Package generate generates random objects of a kind, changes to them and patches for them
// from a seed. Values follow the kind's type, so that every kind of list and map occurs.
// Odd adds values that often cause errors: nulls, values of another type, missing and
// duplicate keys, escapes, unusual spellings of numbers. Long makes a list or map so long
// that the engines defer parts of it.
package generate

import (
	"math/rand/v2"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Options configures a Generator. The zero value generates small, valid objects.
type Options struct {
	// Depth is the maximum nesting depth; the default is 6.
	Depth int
	// Breadth is the typical number of members and items; the default is 3.
	Breadth int
	// Odd makes about one value in thirty odd.
	Odd bool
	// Long is the typical length of one or two lists and maps of an object; 0 for none that
	// long.
	Long int
}

// Generator generates values. The same seed and sequence of calls generate the same values.
// It is not safe for concurrent use.
type Generator struct {
	*rand.Rand
	o     Options
	depth int
	long  int // number of lists and maps that may still be long
	many  int // length of the long list or map being generated, otherwise 0
}

// New returns a generator with the given seed.
func New(seed uint64, o Options) *Generator {
	if o.Depth == 0 {
		o.Depth = 6
	}
	if o.Breadth == 0 {
		o.Breadth = 3
	}
	return &Generator{Rand: rand.New(rand.NewPCG(seed, 0x9a7c41ab)), o: o}
}

// chance returns true once in n times on average.
func (g *Generator) chance(n int) bool { return g.IntN(n) == 0 }

// odd returns true for about one value in thirty, and in a long list or map for one or two
// in total, because one may invalidate the whole.
func (g *Generator) odd() bool { return g.o.Odd && g.chance(max(30, 4*g.many)) }

// Object generates an object of a kind, named "obj".
func (g *Generator) Object(k *schema.Kind) document.Value {
	v := g.draw(k)
	for tries := 0; g.o.Long > 0 && g.long > 0 && tries < 4; tries++ {
		v = g.draw(k) // none of the fields could be long
	}
	return v
}

func (g *Generator) draw(k *schema.Kind) document.Value {
	t := k.Type()
	var b document.ObjectBuilder
	b.Set("apiVersion", document.NewString(k.APIVersion()))
	b.Set("kind", document.NewString(k.Kind))
	long := 0
	if g.o.Long > 0 {
		long = 1 + g.IntN(2)
	}
	if g.chance(4) {
		g.long = long // the metadata may be long
	}
	b.Set("metadata", g.metadata(t, k.Namespaced))
	g.long = long
	for i := range t.Map.Fields {
		f := &t.Map.Fields[i]
		switch f.Name {
		case "apiVersion", "kind", "metadata":
			continue
		case "spec", "data":
		default:
			if g.chance(3) {
				continue
			}
		}
		b.Set(f.Name, g.field(f))
	}
	return b.Object()
}

// metadata generates the metadata that a client may set, without the server's fields.
func (g *Generator) metadata(t *schema.Type, namespaced bool) document.Value {
	var b document.ObjectBuilder
	b.Set("name", document.NewString("obj"))
	if namespaced {
		b.Set("namespace", document.NewString("ns"))
	}
	if meta := t.Map.Field("metadata"); meta != nil && meta.Type != nil && meta.Type.Map != nil {
		for _, name := range []string{"annotations", "finalizers", "labels", "ownerReferences"} {
			if f := meta.Type.Map.Field(name); f != nil && g.chance(2) {
				b.Set(name, g.field(f))
			}
		}
	}
	return b.Object()
}

// field generates a value for a field; the items of merged lists have merge keys.
func (g *Generator) field(f *schema.Field) document.Value {
	v := g.Value(f.Type)
	if f.MergeKey == "" || v.Kind() != document.List {
		return v
	}
	var key *schema.Type
	if f.Type.List != nil && f.Type.List.Elem != nil {
		key = f.Type.List.Elem.Map.Member(f.MergeKey)
	}
	return g.keyed(v, []string{f.MergeKey}, func(string) *schema.Type { return key })
}

// keyed sets the keys of each item that is an object and removes items with duplicate keys.
func (g *Generator) keyed(list document.Value, keys []string, typeOf func(string) *schema.Type) document.Value {
	defer g.amid(list)()
	var b document.ListBuilder
	seen := map[string]bool{}
	for _, item := range list.Items() {
		if item.Kind() != document.Object {
			b.Append(item)
			continue
		}
		text := ""
		for _, k := range keys {
			if !item.Get(k).Exists() && !g.odd() {
				item = item.With(k, g.key(typeOf(k)))
			}
			text += item.Get(k).String() + ","
		}
		if seen[text] && !g.odd() {
			continue
		}
		seen[text] = true
		b.Append(item)
		for g.odd() {
			b.Append(item)
		}
	}
	return b.List()
}

// key generates a scalar of type t from a small set, so that items of two objects have
// equal keys.
func (g *Generator) key(t *schema.Type) document.Value {
	if t != nil && (t.Scalar == schema.IntegerScalar || t.Scalar == schema.NumberScalar) {
		if g.odd() {
			return g.number(bigNumbers[g.IntN(len(bigNumbers))])
		}
		return document.NewInt(int64(80 + g.IntN(4+2*g.many)))
	}
	if t != nil && t.Scalar == schema.BooleanScalar {
		return document.NewBool(g.chance(2))
	}
	if t != nil && t.Validation != nil && len(t.Validation.Enum) > 0 {
		return g.enum(t.Validation.Enum)
	}
	return document.NewString(g.among(names[:6]))
}

func (g *Generator) enum(texts []string) document.Value {
	d, err := document.Parse([]byte(texts[g.IntN(len(texts))]), document.Options{})
	if err != nil {
		return document.NewNull()
	}
	return d.Root
}

// Value generates a value of type t, or of one of the types that t allows.
func (g *Generator) Value(t *schema.Type) document.Value {
	if g.odd() {
		return g.oddValue()
	}
	if t == nil {
		return g.anything()
	}
	g.depth++
	defer func() { g.depth-- }()
	sorts := 0
	for _, may := range [...]bool{t.Scalar != schema.NoScalar, t.List != nil, t.Map != nil} {
		if may {
			sorts++
		}
	}
	if sorts > 1 && (g.depth >= g.o.Depth || g.chance(2)) && t.Scalar != schema.NoScalar {
		return g.scalar(t)
	}
	switch {
	case t.Map != nil && (t.List == nil || g.chance(2)):
		return g.object(t)
	case t.List != nil:
		return g.list(t)
	case t.Scalar != schema.NoScalar:
		return g.scalar(t)
	}
	return g.anything()
}

func (g *Generator) object(t *schema.Type) document.Value {
	var b document.ObjectBuilder
	if g.depth <= g.o.Depth {
		for i := range t.Map.Fields {
			f := &t.Map.Fields[i]
			// Fields with a patch strategy are more frequent.
			special := f.Strategy != 0 && g.depth < g.o.Depth && g.chance(3)
			if g.IntN(len(t.Map.Fields)+1) < g.o.Breadth || special {
				b.Set(f.Name, g.field(f))
			}
		}
		if t.Map.Elem != nil {
			n, end := g.count(g.o.Breadth + 1)
			for range n {
				b.Set(g.mapKey(), g.Value(t.Map.Elem))
			}
			end()
		}
	}
	for _, name := range t.Map.Required {
		if f := t.Map.Field(name); f != nil && g.depth < g.o.Depth+3 {
			b.Set(name, g.field(f))
		}
	}
	return b.Object()
}

func (g *Generator) list(t *schema.Type) document.Value {
	var b document.ListBuilder
	seen := map[string]bool{}
	if g.depth > g.o.Depth {
		return b.List()
	}
	n, end := g.count(g.o.Breadth + 2)
	defer end()
	for range n {
		v := g.Value(t.List.Elem)
		if t.List.Kind == schema.SetList {
			if seen[v.String()] && !g.odd() {
				continue
			}
			seen[v.String()] = true
		}
		b.Append(v)
	}
	if t.List.Kind != schema.KeyedList {
		return b.List()
	}
	keys := make([]string, 0, len(t.List.Keys))
	for _, k := range t.List.Keys {
		if k.Default == "" || g.chance(2) {
			keys = append(keys, k.Name)
		}
	}
	return g.keyed(b.List(), keys, t.List.Elem.Map.Member)
}

func (g *Generator) mapKey() string {
	if g.odd() {
		return oddTexts[g.IntN(len(oddTexts))]
	}
	return g.among(names[:])
}

// anything generates a value without a type.
func (g *Generator) anything() document.Value {
	switch n := g.IntN(6); {
	case n == 0 && g.depth < g.o.Depth:
		g.depth++
		defer func() { g.depth-- }()
		n, end := g.countOf(2)
		defer end()
		var b document.ListBuilder
		for range n {
			b.Append(g.anything())
		}
		return b.List()
	case n == 1 && g.depth < g.o.Depth:
		g.depth++
		defer func() { g.depth-- }()
		n, end := g.countOf(1)
		defer end()
		var b document.ObjectBuilder
		for range n {
			b.Set(g.mapKey(), g.anything())
		}
		return b.Object()
	case n == 2:
		return document.NewInt(int64(g.IntN(4)))
	case n == 3:
		return document.NewBool(g.chance(2))
	}
	return document.NewString(g.among(names[:]))
}

func itoa(i int) string { return strconv.Itoa(i) }
