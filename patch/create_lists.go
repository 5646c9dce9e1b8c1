package patch

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A listDiff is what a patch says about a list: items, scalars to delete, order.
type listDiff struct {
	items, gone []document.Value
	order       document.Value
}

func itemsOf(list document.Value) []document.Value {
	items := make([]document.Value, list.Len())
	for i := range items {
		items[i] = list.At(i)
	}
	return items
}

func (d *differ) list(was, now document.Value, f field) (listDiff, error) {
	if was.Len() == 0 {
		if !d.changes {
			return listDiff{}, nil
		}
		return listDiff{items: itemsOf(now)}, nil
	}
	document.OpenLike(was, now)
	kind, problem := itemKind(was, now)
	switch {
	case problem != "":
		return listDiff{}, d.fail(causeOf(kind), problem)
	case kind == document.Object:
		return d.objects(was, now, f)
	}
	return d.scalars(was, now), nil
}

// objects compares two lists of objects by their merge key.
func (d *differ) objects(was, now document.Value, f field) (listDiff, error) {
	before, err := d.byName(was, f, d.views[now])
	if err != nil {
		return listDiff{}, err
	}
	after, err := d.byName(now, f, before)
	if err != nil {
		return listDiff{}, err
	}
	patched, gone, err := d.pair(before, after, f)
	if err != nil {
		return listDiff{}, err
	}
	patched = after.inOwnOrder(patched)
	p := listDiff{items: make([]document.Value, 0, len(patched)+len(gone))}
	for _, e := range patched {
		p.items = append(p.items, e.item)
	}
	p.items = append(p.items, gone...)
	sameOrder := slices.Equal(before.keys, after.keys)
	if d.order && (d.changes && (len(p.items) > 0 || !sameOrder) || d.deletions && len(p.items) > 0) {
		var order document.ListBuilder
		order.Grow(now.Len())
		var b document.ObjectBuilder
		for i, item := range now.Items() {
			keyFields(&b, item, after.keys[i], f)
			order.AppendObject(&b)
		}
		p.order = order.List()
	}
	return p, nil
}

// sortedBy sorts entries in the order of keys.
func sortedBy(entries []entry, keys []itemKey) []entry {
	if len(entries) == 0 {
		return entries
	}
	order, at := indexOf(keys), make([]int, len(entries))
	for i := range entries {
		pos, found := order.find(entries[i].key)
		if !found {
			pos = -1
		}
		at[i] = pos
	}
	entries, _ = inOrder(entries, at)
	return entries
}

// inOwnOrder sorts entries that are of the list, or changes to them, as the list
// has them: by the first place of their key.
func (s *byName) inOwnOrder(entries []entry) []entry {
	if len(entries) == 0 {
		return entries
	}
	if repeated(s.keys) {
		return sortedBy(entries, s.keys)
	}
	at := make([]int, len(entries))
	for i := range entries {
		at[i] = entries[i].slot
	}
	entries, _ = inOrder(entries, at)
	return entries
}

// keyFields adds an item's merge key to b, and nothing else of the item.
func keyFields(b *document.ObjectBuilder, item document.Value, k itemKey, f field) {
	b.Grow(len(f.keys))
	if k.kind == keyString {
		b.SetString(f.keys[0].Name, k.text)
		return
	}
	for _, key := range f.keys {
		b.Set(key.Name, item.Get(key.Name))
	}
}

// pair walks two lists sorted by name together. It returns the items that are
// new or changed, and a directive for each that is gone.
func (d *differ) pair(before, after *byName, f field) (patched []entry, gone []document.Value, err error) {
	quiet := d.quiet(f.typ)
	i, j := 0, 0
	for i < before.Len() || j < after.Len() {
		switch {
		case j == after.Len() || i < before.Len() && before.names[i] < after.names[j]:
			if d.deletions {
				e := &before.entries[i]
				var b document.ObjectBuilder
				keyFields(&b, e.item, e.key, f)
				b.SetString(directivePatch, "delete")
				gone = append(gone, b.Object())
			}
			i++
		case i == before.Len() || after.names[j] < before.names[i]:
			if d.changes {
				e := after.entries[j]
				e.deletes = deletes(e.item)
				patched = append(patched, e)
			}
			j++
		default:
			e := after.entries[j]
			if quiet && document.SurelyIdentical(before.entries[i].item, e.item) {
				i++
				j++
				continue
			}
			d.item(e.slot)
			p, err := d.object(before.entries[i].item, e.item, f.typ, f.retainKeys)
			if err != nil {
				return nil, nil, err
			}
			d.up()
			if p.Len() > 0 {
				var b document.ObjectBuilder
				b.Grow(p.Len() + len(f.keys))
				for m := range p.Len() {
					b.Keep(p, m)
				}
				for _, k := range f.keys {
					b.Set(k.Name, e.item.Get(k.Name))
				}
				e.item = b.Object()
				e.deletes = deletes(e.item)
				patched = append(patched, e)
			}
			i++
			j++
		}
	}
	return patched, gone, nil
}

// quiet reports whether objects of type t that are the same make no patch, so
// that they need not be gone through: there is no map in them that is given
// whole, and no list of scalars that is given an order, although nothing changed.
func (d *differ) quiet(t *schema.Type) bool {
	if t == nil || t.Map == nil || len(t.Map.Fields) == 0 && (t.Map.Elem == nil || !d.listTypes) {
		return true
	}
	if known, ok := d.quietTypes[t]; ok {
		return known
	}
	if d.quietTypes == nil {
		d.quietTypes = make(map[*schema.Type]bool)
	}
	d.quietTypes[t] = true // what refers to itself is as quiet as the rest of it
	quiet := true
	fields := t.Map.Fields
	if d.listTypes { // which the values of a map have as well
		fields = append(fields[:len(fields):len(fields)], schema.Field{Type: t.Map.Elem})
	}
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Type == nil:
		case f.Type.Map != nil && (f.Strategy&schema.StrategyReplace != 0 || d.listTypes && f.Type.Map.Atomic):
			quiet = false
		case f.Type.Map != nil:
			quiet = quiet && d.quiet(f.Type)
		case f.Type.List != nil:
			quiet = quiet && d.quietList(f)
		}
	}
	d.quietTypes[t] = quiet
	return quiet
}

func (d *differ) quietList(f *schema.Field) bool {
	l := f.Type.List
	if d.listTypes {
		return l.Kind == schema.AtomicList || l.Kind == schema.KeyedList && d.quiet(l.Elem)
	}
	return f.Strategy&schema.StrategyMerge == 0 || f.MergeKey != "" && d.quiet(l.Elem)
}

// byName sorts items by their keys as text. Items of one name come in the order
// that kubectl has them in: its sort takes them for less than each other.
type byName struct {
	list    document.Value
	entries []entry
	names   []string
	keys    []itemKey // in the list's own order
}

// byName finds the keys of a list's items. like is another list of the same
// field, or nil: most of its items are the same.
func (d *differ) byName(list document.Value, f field, like *byName) (*byName, error) {
	if s, done := d.views[list]; done {
		return s, nil
	}
	if len(f.keys) == 0 {
		return nil, d.fail(ErrInternal, "the list merges, but has no merge key for objects")
	}
	n := list.Len()
	s := &byName{list: list, entries: make([]entry, n), names: make([]string, n), keys: make([]itemKey, n)}
	sorted := true
	for i, item := range list.Items() {
		var k itemKey
		if like != nil && i < like.list.Len() && document.SurelyIdentical(item, like.list.At(i)) {
			k = like.keys[i]
		} else {
			k = keyOf(item, f.keys)
		}
		if err := d.keyed(item, k, f); err != nil {
			return nil, err
		}
		s.entries[i] = entry{item: item, key: k, slot: i}
		s.keys[i], s.names[i] = k, keyText(item, k, f)
		sorted = sorted && (i == 0 || s.names[i-1] < s.names[i])
	}
	if !sorted {
		sort.Sort(s)
	}
	if d.views != nil {
		d.views[list] = s
	}
	return s, nil
}

// keyText returns a key as Go prints the value.
func keyText(item document.Value, k itemKey, f field) string {
	switch k.kind {
	case keyString, keyInt, keyBool:
		return k.text
	case keyPlural:
		return k.text
	}
	return goText(item.Get(f.keys[0].Name))
}

func (s *byName) Len() int           { return len(s.names) }
func (s *byName) Less(i, j int) bool { return s.names[i] <= s.names[j] }
func (s *byName) Swap(i, j int) {
	s.names[i], s.names[j] = s.names[j], s.names[i]
	s.entries[i], s.entries[j] = s.entries[j], s.entries[i]
}

// scalars compares two lists of scalars as sets of texts. That the order has
// changed is found out against the sorted list: so does kubectl, which
// therefore gives an order for every list that is not sorted.
func (d *differ) scalars(was, now document.Value) listDiff {
	before, after := sortedScalars(was), sortedScalars(now)
	var p listDiff
	var added []entry
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case j == len(after) || i < len(before) && before[i].key.text < after[j].key.text:
			if d.deletions {
				p.gone = append(p.gone, before[i].item)
			}
			i++
		case i == len(before) || after[j].key.text < before[i].key.text:
			if d.changes {
				added = append(added, after[j])
			}
			j++
		default:
			i++
			j++
		}
	}
	p.gone = withoutRepeats(p.gone)
	for k := range added {
		added[k].key = scalarKey(added[k].item)
	}
	for _, e := range sortedBy(added, keysOf(now, field{})) {
		p.items = append(p.items, e.item)
	}
	changed := len(before) != now.Len()
	for k := 0; !changed && k < len(before); k++ {
		changed = !document.Identical(before[k].item, now.At(k))
	}
	changed = changed || d.sorts && !document.Identical(was, now)
	if d.order && (d.deletions && len(p.gone) > 0 || d.changes && changed) {
		p.order = now
	}
	return p
}

// sortedScalars returns a list's items sorted by their texts.
func sortedScalars(list document.Value) []entry {
	out := make([]entry, list.Len())
	for i, item := range list.Items() {
		out[i] = entry{item: item, key: itemKey{text: goText(item)}}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return strings.Compare(a.key.text, b.key.text) })
	return out
}

// withoutRepeats takes repeated scalars out of a list as kubectl does: each is
// replaced by the last one of the list, which gets shorter.
func withoutRepeats(items []document.Value) []document.Value {
	repeats := make(map[itemKey]int, len(items))
	for _, v := range items {
		repeats[scalarKey(v)]++
	}
	if len(repeats) == len(items) {
		return items
	}
	for i := 0; i < len(items); i++ {
		k := scalarKey(items[i])
		for j := i + 1; j < len(items) && repeats[k] > 1; j++ {
			if scalarKey(items[j]) == k {
				items[j] = items[len(items)-1]
				items = items[:len(items)-1]
				repeats[k]--
				j--
			}
		}
	}
	return items
}
