package generate

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// MergePatch generates a JSON merge patch for v, of type t.
func (g *Generator) MergePatch(v document.Value, t *schema.Type) document.Value {
	return g.patchObject(v, t, false)
}

// StrategicPatch generates a strategic merge patch for v, of type t, sometimes with
// directives: usually valid ones, with Odd invalid ones too.
func (g *Generator) StrategicPatch(v document.Value, t *schema.Type) document.Value {
	return g.patchObject(v, t, true)
}

func (g *Generator) patchObject(v document.Value, t *schema.Type, strategic bool) document.Value {
	g.depth++
	defer func() { g.depth-- }()
	var m *schema.MapType
	if t != nil {
		m = t.Map
	}
	defer g.amid(v)()
	var b document.ObjectBuilder
	rate := g.rate(v)
	for key, val := range v.Members() {
		if g.depth == 1 && (key == "apiVersion" || key == "kind") || !rate.touches() || g.chance(2) {
			continue
		}
		f := m.Field(key)
		switch {
		case g.chance(8):
			b.Set(key, document.NewNull())
		case g.chance(10):
			b.Set(key, g.Value(m.Member(key)))
		case val.Kind() == document.Object:
			b.Set(key, g.patchObject(val, m.Member(key), strategic))
		case val.Kind() == document.List && strategic:
			g.patchList(&b, key, val, f, m.Member(key))
		default:
			b.Set(key, g.mutate(val, m.Member(key)))
		}
	}
	if m != nil && g.chance(3) {
		g.addMember(&b, m)
	}
	out := b.Object()
	if strategic && g.chance(12) {
		return g.directive(out, v)
	}
	return out
}

func (g *Generator) addMember(b *document.ObjectBuilder, m *schema.MapType) {
	if len(m.Fields) > 0 {
		f := &m.Fields[g.IntN(len(m.Fields))]
		name := f.Name
		if g.odd() { // Go's decoder ignores case
			name = strings.ToUpper(name[:1]) + name[1:]
		}
		b.Set(name, g.field(f))
	}
	if m.Elem != nil {
		b.Set(g.mapKey(), g.Value(m.Elem))
	}
}

// directive adds $patch or $retainKeys to the patch of a map.
func (g *Generator) directive(patch, v document.Value) document.Value {
	word := [...]string{"replace", "delete", "merge", "bogus"}[g.IntN(2+2*boolInt(g.o.Odd))]
	if g.chance(2) {
		return patch.With("$patch", document.NewString(word))
	}
	var keep []document.Value
	for key, val := range patch.Members() {
		if !val.IsNull() && !strings.HasPrefix(key, "$") && !g.odd() {
			keep = append(keep, document.NewString(key))
		}
	}
	for key := range v.Members() {
		if _, found := patch.Find(key); !found && g.chance(2) {
			keep = append(keep, document.NewString(key))
		}
	}
	return patch.With("$retainKeys", document.NewList(keep...))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// patchList adds the patch of a list and its directives to b.
func (g *Generator) patchList(b *document.ObjectBuilder, key string, v document.Value, f *schema.Field, t *schema.Type) {
	mergeKey, elem := "", (*schema.Type)(nil)
	if t != nil && t.List != nil {
		elem = t.List.Elem
		if len(t.List.Keys) > 0 {
			mergeKey = t.List.Keys[0].Name
		}
	}
	if f != nil && f.MergeKey != "" {
		mergeKey = f.MergeKey
	}
	if v.Len() > 0 && v.At(0).Kind() != document.Object || mergeKey == "" {
		g.patchScalars(b, key, v, elem)
		return
	}
	items := g.patchItems(v, elem, mergeKey)
	if g.chance(3) {
		b.Set("$setElementOrder/"+key, g.order(items, v, mergeKey))
	}
	if g.odd() {
		b.Set("$deleteFromPrimitiveList/"+key, document.NewList(items...))
	}
	if len(items) > 0 || g.chance(4) {
		b.Set(key, document.NewList(items...))
	}
}

func (g *Generator) patchItems(v document.Value, elem *schema.Type, mergeKey string) []document.Value {
	defer g.amid(v)()
	var items []document.Value
	rate := g.rate(v)
	for _, item := range v.Items() {
		k := item.Get(mergeKey)
		switch {
		case !rate.touches(), g.chance(2):
		case g.chance(5):
			items = append(items, document.NewObject().With(mergeKey, k).With("$patch", document.NewString("delete")))
		default:
			items = append(items, g.patchObject(item, elem, true).Without("$retainKeys").With(mergeKey, k))
		}
	}
	if g.chance(2) {
		fresh := g.Value(elem)
		if fresh.Kind() == document.Object && !g.odd() {
			fresh = fresh.With(mergeKey, g.key(elem.Map.Member(mergeKey)))
		}
		items = append(items, fresh)
	}
	if g.chance(12) {
		items = append(items, document.NewObject().With("$patch", document.NewString("replace")))
	}
	if g.chance(3) {
		g.shuffle(items)
	}
	return items
}

// order generates an order directive for a list: the patch's items with some of the
// object's between them. With Odd it may disagree with the patch.
func (g *Generator) order(items []document.Value, v document.Value, mergeKey string) document.Value {
	var b document.ListBuilder
	seen := map[string]bool{}
	add := func(item document.Value) {
		k := item
		if mergeKey != "" {
			if item.Kind() != document.Object || item.Get("$patch").Exists() {
				return
			}
			k = document.NewObject().With(mergeKey, item.Get(mergeKey))
		}
		if !seen[k.String()] {
			seen[k.String()] = true
			b.Append(k)
		}
	}
	named := map[string]bool{}
	for _, item := range items {
		named[item.Get(mergeKey).String()+item.Get("$patch").String()] = true
	}
	others := v.Len()
	next := func() {
		if others > 0 {
			others--
			item := v.At(others)
			if mergeKey == "" || !named[item.Get(mergeKey).String()+"nothing"] || g.odd() {
				add(item)
			}
		}
	}
	for _, item := range items {
		if g.chance(2) {
			next()
		}
		if !g.odd() {
			add(item)
		}
	}
	for g.chance(2) {
		next()
	}
	return b.List()
}

// patchScalars adds the patch of a list of scalars, or of a list that is replaced.
func (g *Generator) patchScalars(b *document.ObjectBuilder, key string, v document.Value, elem *schema.Type) {
	defer g.amid(v)()
	var items, gone []document.Value
	rate := g.rate(v)
	for _, item := range v.Items() {
		switch {
		case !rate.touches():
		case g.chance(3):
			gone = append(gone, item)
		case g.chance(2):
			items = append(items, item)
		}
	}
	if g.chance(2) {
		items = append(items, g.Value(elem))
	}
	if len(gone) > 0 && g.chance(2) {
		b.Set("$deleteFromPrimitiveList/"+key, document.NewList(gone...))
	}
	if g.chance(4) {
		b.Set("$setElementOrder/"+key, g.order(items, v, ""))
	}
	if len(items) > 0 || g.chance(3) {
		b.Set(key, document.NewList(items...))
	}
}

// JSONPatch generates a JSON patch for v with at most n operations. Most of them succeed.
func (g *Generator) JSONPatch(v document.Value, n int) document.Value {
	if at, list := longest("", v); list.Len() >= longList && g.chance(2) {
		return g.edits(at, list.Len())
	}
	if g.chance(5) {
		at, _ := g.pointer(v)
		return document.NewList(operation("replace", at).With("value", g.anything()))
	}
	var b document.ListBuilder
	for range 1 + g.IntN(n) {
		var op document.ObjectBuilder
		kind := [...]string{"add", "remove", "replace", "move", "copy", "test"}[g.IntN(6)]
		at, val := g.pointer(v)
		if g.odd() {
			at, val = "", v
		}
		op.Set("op", document.NewString(kind))
		op.Set("path", document.NewString(at))
		switch kind {
		case "move", "copy":
			from, _ := g.pointer(v)
			op.Set("from", document.NewString(from))
		case "add", "replace":
			switch {
			case g.odd():
				op.Set("value", g.oddValue())
			case !g.odd():
				op.Set("value", g.anything())
			}
		case "test":
			if g.odd() {
				val = g.oddValue()
			}
			op.Set("value", val)
		}
		b.Append(op.Object())
	}
	return b.List()
}

// pointer generates a JSON pointer into v and returns it with the value that it refers to.
// Sometimes this value is missing.
func (g *Generator) pointer(v document.Value) (string, document.Value) {
	var p strings.Builder
	for {
		token := ""
		var next document.Value
		switch {
		case v.Kind() == document.List && v.Len() > 0 && !g.chance(5):
			i := g.IntN(v.Len())
			token, next = itoa(i), v.At(i)
			if g.odd() {
				token = [...]string{"-1", "01", "+0", "-", "-2", "x"}[g.IntN(6)]
			}
		case v.Kind() == document.List:
			token = "-"
		case v.Len() > 0 && !g.chance(6):
			i := g.IntN(v.Len())
			token, next = v.Key(i), v.At(i)
		default:
			token = g.mapKey()
		}
		p.WriteString("/" + pointerToken(token))
		if !next.Exists() || next.Len() == 0 || g.chance(3) {
			return p.String(), next
		}
		v = next
	}
}
