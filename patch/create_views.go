package patch

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
)

// A view is a list merged by key, with the keys of its items.
type view struct {
	list document.Value
	keys []itemKey // in list order
}

// view returns the view of a list. like is the view of another list of the same field with
// mostly equal items, or nil.
func (d *differ) view(list document.Value, f field, like *view) (*view, error) {
	if v, done := d.views[list]; done {
		return v, nil
	}
	if len(f.keys) == 0 {
		return nil, d.fail(ErrInternal, "the list is merged but has no merge key for objects")
	}
	v := &view{list: list, keys: make([]itemKey, list.Len())}
	for i, item := range list.Items() {
		if like != nil && i < len(like.keys) && document.SurelyIdentical(item, like.list.At(i)) {
			v.keys[i] = like.keys[i] // validated for the other list
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

// inStep returns the items of after that may differ from those of v, sorted by key, if both
// lists have the same keys in the same order, so that no item has to be searched for. ok is
// false if they have not, or if items that may differ share a key. quiet is set if equal
// items yield an empty patch.
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
		sort.SliceStable(differing, func(a, b int) bool { return byName(differing[a], differing[b]) < 0 })
	}
	for i := 1; i < len(differing); i++ {
		if byName(differing[i-1], differing[i]) == 0 {
			return nil, false
		}
	}
	return differing, true
}

// order returns the value of $setElementOrder: the merge keys of the items.
func (v *view) order(f field) document.Value {
	if order := v.printedOrder(f); order.Exists() {
		return order
	}
	var order document.ListBuilder
	order.Grow(len(v.keys))
	var b document.ObjectBuilder
	for _, item := range v.list.Items() {
		for _, key := range f.keys {
			b.Set(key.Name, item.Get(key.Name)) // absent if it has a default
		}
		order.AppendObject(&b)
	}
	return order.List()
}

// printedOrder returns order as text that is parsed on demand. It is absent if a key is not
// a string, because printing may change the type of a number: 2.0 becomes the integer 2.
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
			text = slices.Grow(text, len(v.keys)*(len(text)+2)) // the others have about the same length
		}
	}
	order, err := document.ParseLazy(append(text, ']'), document.Options{MaxBytes: -1})
	if err != nil {
		return document.Value{}
	}
	return order.Root
}

// inOwnOrder sorts entries of the list, or changes to them, by the first index of their key
// in the list.
func (v *view) inOwnOrder(entries []entry) []entry {
	if len(entries) < 2 {
		return entries
	}
	return sortedBy(entries, v.keys)
}

// sortedBy sorts entries by the first index of their key in keys.
func sortedBy(entries []entry, keys []itemKey) []entry {
	own := make([]itemKey, len(entries))
	for i := range entries {
		own[i] = entries[i].key
	}
	x := indexOf(own) // there may be many more keys than entries
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

// byName sorts items by the text of their keys. Items with equal keys are in the order of
// kubectl's sort, where each of them is less than the other.
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

// keyText returns a key as Go's fmt prints the value.
func keyText(item document.Value, k itemKey, f field) string {
	switch k.kind {
	case keyString, keyInt, keyBool, keyPlural:
		return k.text
	}
	return gotext.Of(item.Get(f.keys[0].Name))
}
