package patch

import (
	"sort"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
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
		out[i] = entry{item: item, key: itemKey{text: gotext.Of(item)}}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].key.text < out[b].key.text })
	return out
}

// withoutRepeats removes duplicate scalars in place as kubectl does: for each item in turn, the
// next duplicate of it is overwritten by the last item, and the list is shortened, until it has none.
func withoutRepeats(items []document.Value) []document.Value {
	keys, places := make([]itemKey, len(items)), make(map[itemKey]*ascending, len(items))
	for i, v := range items {
		keys[i] = scalarKey(v)
		if places[keys[i]] == nil {
			places[keys[i]] = &ascending{}
		}
		*places[keys[i]] = append(*places[keys[i]], i) // which is in heap order
	}
	if len(places) == len(items) {
		return items
	}
	for i := 0; i < len(items); i++ {
		for same := places[keys[i]]; len(*same) > 0; {
			j := same.pop()
			if j <= i || j >= len(items) || keys[j] != keys[i] {
				continue // the item itself, or one that is elsewhere now
			}
			last := len(items) - 1
			items[j], keys[j] = items[last], keys[last]
			items = items[:last]
			if j < last {
				places[keys[j]].push(j)
			}
		}
	}
	return items
}

// ascending is a binary heap of the indices of equal items. The lowest is the first.
type ascending []int

func (a *ascending) push(i int) {
	h := append(*a, i)
	for at := len(h) - 1; at > 0 && h[at] < h[(at-1)/2]; at = (at - 1) / 2 {
		h[at], h[(at-1)/2] = h[(at-1)/2], h[at]
	}
	*a = h
}

// pop removes the lowest index of a heap that is not empty.
func (a *ascending) pop() int {
	h := *a
	lowest, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for at := 0; ; {
		next := 2*at + 1
		if next+1 < last && h[next+1] < h[next] {
			next++
		}
		if next >= last || h[at] <= h[next] {
			break
		}
		h[at], h[next], at = h[next], h[at], next
	}
	*a = h
	return lowest
}
