package patch

import (
	"sort"

	"github.com/patchlab-dev/patchlab/document"
)

// scalars compares two lists of scalars as sets of their texts. Like kubectl, it detects a
// changed order by comparing with the sorted list and therefore adds an order directive for
// every unsorted list.
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

// sortedScalars returns a list's items sorted by their text.
func sortedScalars(list document.Value) []entry {
	out := make([]entry, list.Len())
	for i, item := range list.Items() {
		out[i] = entry{item: item, key: itemKey{text: goText(item)}}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].key.text < out[b].key.text })
	return out
}

// withoutRepeats removes duplicate scalars as kubectl does: each duplicate is overwritten
// by the last item, and the list is shortened.
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
