package patch

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// A view is what a differ knows of a list that merges by key.
type view struct {
	list document.Value
	keys []itemKey // in the list's own order
}

// view returns a list with the keys of its items. like is the view of another list of the
// same field, most of whose items are the same, or nil.
func (d *differ) view(list document.Value, f field, like *view) (*view, error) {
	if v, done := d.views[list]; done {
		return v, nil
	}
	if len(f.keys) == 0 {
		return nil, d.fail(ErrInternal, "the list merges, but has no merge key for objects")
	}
	v := &view{list: list, keys: make([]itemKey, list.Len())}
	for i, item := range list.Items() {
		if like != nil && i < len(like.keys) && document.SurelyIdentical(item, like.list.At(i)) {
			v.keys[i] = like.keys[i] // which was found right
			continue
		}
		k := keyOf(item, f.keys)
		if err := d.keyed(item, k, f); err != nil {
			return nil, err
		}
		v.keys[i] = k
	}
	if d.views != nil {
		d.views[list] = v
	}
	return v, nil
}

// inStep finds the items of after that may differ from those of v, sorted by
// name, where both lists have the same keys in the same order: then no item needs
// to be looked for. ok is false where they have not, or where items that may
// differ have one name, so that it takes the whole lists to tell which is which.
// quiet says that items that are the same make no patch.
func (v *view) inStep(after *view, f field, quiet bool) (differing []entry, ok bool) {
	if len(v.keys) != len(after.keys) {
		return nil, false
	}
	for i, item := range after.list.Items() {
		k := after.keys[i]
		if k != v.keys[i] || k.kind == keyNone {
			return nil, false
		}
		if !quiet || !document.SurelyIdentical(item, v.list.At(i)) {
			differing = append(differing, entry{item: item, key: k, slot: i})
		}
	}
	byName := func(a, b entry) int { return strings.Compare(keyText(a.item, a.key, f), keyText(b.item, b.key, f)) }
	if !slices.IsSortedFunc(differing, byName) {
		slices.SortFunc(differing, byName)
	}
	for i := 1; i < len(differing); i++ {
		if byName(differing[i-1], differing[i]) == 0 {
			return nil, false
		}
	}
	return differing, true
}

// order is the list of the items' merge keys, as $setElementOrder has it.
func (v *view) order(f field) document.Value {
	if order := v.printedOrder(f); order.Exists() {
		return order
	}
	var order document.ListBuilder
	order.Grow(len(v.keys))
	var b document.ObjectBuilder
	for _, item := range v.list.Items() {
		for _, key := range f.keys {
			b.Set(key.Name, item.Get(key.Name)) // which is absent where it has a default
		}
		order.AppendObject(&b)
	}
	return order.List()
}

// printedOrder is order as a text, which is read when someone looks at it: that
// need not be. It is absent where a key is no string, because a number may be of
// another kind when it has been printed: 2.0 is the integer 2 then.
func (v *view) printedOrder(f field) document.Value {
	text := []byte{'['}
	for i, k := range v.keys {
		if k.kind != keyString {
			return document.Value{}
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(document.AppendQuoted(append(text, '{'), f.keys[0].Name), ':')
		text = append(document.AppendQuoted(text, k.text), '}')
		if i == 0 {
			text = slices.Grow(text, len(v.keys)*(len(text)+2)) // the others will be about as long
		}
	}
	order, err := document.ParseLazy(append(text, ']'), document.Options{MaxBytes: -1})
	if err != nil {
		return document.Value{}
	}
	return order.Root
}

// inOwnOrder sorts entries that are of the list, or changes to them, as the list
// has them: by the first place of their key.
func (v *view) inOwnOrder(entries []entry) []entry {
	if len(entries) < 2 {
		return entries
	}
	return sortedBy(entries, v.keys)
}

// sortedBy sorts entries by the first places of their keys.
func sortedBy(entries []entry, keys []itemKey) []entry {
	own := make([]itemKey, len(entries))
	for i := range entries {
		own[i] = entries[i].key
	}
	x := indexOf(own) // the entries are few, the keys may be many
	first := make([]int, len(entries))
	for i := range first {
		first[i] = -1
	}
	for place, k := range keys {
		if i, found := x.find(k); found && first[i] < 0 {
			first[i] = place
		}
	}
	at := make([]int, len(entries))
	for i := range at {
		at[i] = -1
		if same, found := x.find(own[i]); found {
			at[i] = first[same]
		}
	}
	entries, _ = inOrder(entries, at)
	return entries
}

// byName sorts items by their keys as text. Items of one name come in the order
// that kubectl has them in: its sort takes them for less than each other.
type byName struct {
	entries []entry
	names   []string
}

func (v *view) byName(f field) *byName {
	s := &byName{entries: make([]entry, len(v.keys)), names: make([]string, len(v.keys))}
	sorted := true
	for i, item := range v.list.Items() {
		s.entries[i] = entry{item: item, key: v.keys[i], slot: i}
		s.names[i] = keyText(item, v.keys[i], f)
		sorted = sorted && (i == 0 || s.names[i-1] < s.names[i])
	}
	if !sorted {
		sort.Sort(s)
	}
	return s
}

func (s *byName) Len() int           { return len(s.names) }
func (s *byName) Less(i, j int) bool { return s.names[i] <= s.names[j] }
func (s *byName) Swap(i, j int) {
	s.names[i], s.names[j] = s.names[j], s.names[i]
	s.entries[i], s.entries[j] = s.entries[j], s.entries[i]
}

// keyText returns a key as Go prints the value.
func keyText(item document.Value, k itemKey, f field) string {
	switch k.kind {
	case keyString, keyInt, keyBool, keyPlural:
		return k.text
	}
	return goText(item.Get(f.keys[0].Name))
}
