package patch

import (
	"slices"
	"sort"

	"github.com/patchlab-dev/patchlab/document"
)

// An index finds the first position of a key.
type index map[itemKey]int

func newIndex(n int) index { return make(index, n) }

func (x index) add(k itemKey, i int) {
	if k.kind == keyNone {
		return
	}
	if _, there := x[k]; !there {
		x[k] = i
	}
}

func (x index) find(k itemKey) (int, bool) {
	i, found := x[k]
	return i, found
}

func indexOf(keys []itemKey) index {
	x := newIndex(len(keys))
	for i, k := range keys {
		x.add(k, i)
	}
	return x
}

// keysOf returns the keys of a list's items.
func keysOf(list document.Value, f field) []itemKey {
	keys := make([]itemKey, list.Len())
	for i, item := range list.Items() {
		keys[i] = keyOf(item, f.keys)
	}
	return keys
}

// arrange puts a merged list in order: the items that by names in that order,
// all others in the order of server. The two are then merged: an item of the
// others comes before the next one that by names only where the server has them
// so, hence new items come as early as they can (strategic merge patch,
// "preserve order" proposal).
func arrange(entries []entry, by, server []itemKey) []entry {
	order, live := indexOf(by), indexOf(server)
	named := make([]entry, 0, min(len(by), len(entries)))
	others := make([]entry, 0, len(entries))
	for _, e := range entries {
		if _, found := order.find(e.key); found {
			named = append(named, e)
		} else {
			others = append(others, e)
		}
	}
	named, others = inOrder(named, order), inOrder(others, live)
	out := make([]entry, 0, len(entries))
	i := 0
	for _, e := range named {
		if at, found := live.find(e.key); found {
			for ; i < len(others); i++ {
				if o, found := live.find(others[i].key); !found || o >= at {
					break
				}
				out = append(out, others[i])
			}
		}
		out = append(out, e)
	}
	return append(out, others[i:]...)
}

// inOrder sorts entries by an index, those that delete last.
func inOrder(entries []entry, x index) []entry {
	var last []entry
	stay := entries[:0]
	for _, e := range entries {
		if e.deletes {
			last = append(last, e)
		} else {
			stay = append(stay, e)
		}
	}
	at := make([]int, len(stay))
	all, sorted := true, true
	for i := range stay {
		pos, found := x.find(stay[i].key)
		if !found {
			pos, all = -1, false
		}
		at[i] = pos
		sorted = sorted && (i == 0 || at[i-1] <= pos)
	}
	switch {
	case all && sorted:
	case all:
		sort.Stable(&byPosition{stay, at, false})
	default:
		sort.Stable(&byPosition{stay, at, true})
	}
	return append(slices.Clip(stay), last...)
}

// byPosition sorts entries by their positions. Where the position of some is
// not known (loose), any of these counts as less than any other: what the
// stable sort of Go's library makes of that is the order that kube-apiserver
// answers with.
type byPosition struct {
	entries []entry
	at      []int
	loose   bool
}

func (s *byPosition) Len() int { return len(s.entries) }

func (s *byPosition) Less(i, j int) bool {
	if s.loose && (s.at[i] < 0 || s.at[j] < 0) {
		return true
	}
	return s.at[i] < s.at[j]
}

func (s *byPosition) Swap(i, j int) {
	s.entries[i], s.entries[j] = s.entries[j], s.entries[i]
	s.at[i], s.at[j] = s.at[j], s.at[i]
}
