package patch

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sort"

	"github.com/patchlab-dev/patchlab/document"
)

// An index maps keys to their first position. A few keys are searched linearly, many are
// hashed.
type index struct {
	few  []itemKey
	many map[itemKey]int
}

const fewKeys = 8

func indexOf(keys []itemKey) index {
	if len(keys) <= fewKeys {
		return index{few: keys}
	}
	x := index{many: make(map[itemKey]int, len(keys))}
	for i, k := range keys {
		if _, there := x.many[k]; !there && k.kind != keyNone {
			x.many[k] = i
		}
	}
	return x
}

func (x index) find(k itemKey) (int, bool) {
	if x.many != nil {
		i, found := x.many[k]
		return i, found
	}
	if k.kind == keyNone {
		return 0, false
	}
	i := slices.Index(x.few, k)
	return i, i >= 0
}

// repeated reports whether any of n keys is repeated. It is fast if they ascend.
func repeated(n int, key func(i int) itemKey) bool {
	rising := true
	for i := 1; i < n && rising; i++ {
		last, k := key(i-1), key(i)
		rising = last.kind == k.kind && last.text < k.text
	}
	if rising {
		return false
	}
	seed, seen := maphash.MakeSeed(), newHashes(n) // hashes; a collision only costs time
	for i := range n {
		k := key(i)
		if k.kind == keyNone || !seen.add(maphash.String(seed, k.text)+uint64(k.kind)) {
			return true
		}
	}
	return false
}

// hashes is a set of hashes with a known capacity; 0 is an empty place. It is several times
// smaller than a map.
type hashes []uint64

func newHashes(n int) hashes { return make(hashes, 2<<bits.Len(uint(n))) }

// add inserts a hash and reports whether it was new.
func (s hashes) add(h uint64) bool {
	h |= 1
	for i := h >> 1; ; i++ {
		at := &s[i&uint64(len(s)-1)]
		switch *at {
		case 0:
			*at = h
			return true
		case h:
			return false
		}
	}
}

// keysOf returns the keys of a list's items.
func keysOf(list document.Value, f field) []itemKey {
	keys := make([]itemKey, list.Len())
	for i, item := range list.Items() {
		keys[i] = keyOf(item, f.keys)
	}
	return keys
}

// arrange sorts a merged list: the items in by are in that order, the others in the order
// of server. The two sequences are then merged: one of the others precedes the next item in
// by only if server has them in this order, so new items come as early as possible
// (strategic merge patch, "preserve order" proposal).
func (m *merged) arrange(by, server []itemKey) {
	if len(m.entries) == 0 {
		return
	}
	order := m.indexOf(by)
	live := m.positions(server)
	named := make([]entry, 0, min(len(by), len(m.entries)))
	var ranks []int
	others := make([]entry, 0, len(m.entries))
	at := make([]int, 0, len(m.entries))
	for i := range m.entries {
		e := &m.entries[i]
		if rank, found := order.find(e.key); found {
			named, ranks = append(named, *e), append(ranks, rank)
		} else {
			others, at = append(others, *e), append(at, live(e))
		}
	}
	named, _ = inOrder(named, ranks)
	others, at = inOrder(others, at)
	out := m.entries[:0]
	i := 0
	for k := range named {
		for pos := live(&named[k]); i < len(others) && at[i] >= 0 && at[i] < pos; i++ {
			out = append(out, others[i])
		}
		out = append(out, named[k])
	}
	m.entries = append(out, others[i:]...)
}

// inPlace reports whether the entries are already sorted: all are from the object, keys are
// unique, and the patch has the changed items in the same order.
func (m *merged) inPlace() bool {
	if !m.aligned || len(m.entries) > m.kept {
		return false
	}
	order, last := m.indexOf(m.byPatch), -1
	for i := range m.entries {
		rank, named := order.find(m.entries[i].key)
		if m.entries[i].deletes || named && rank < last {
			return false
		}
		if named {
			last = rank
		}
	}
	return !repeated(len(m.entries), func(i int) itemKey { return m.entries[i].key })
}

// indexOf returns an index for looking up the entries; it is omitted for few entries.
func (m *merged) indexOf(keys []itemKey) index {
	if len(m.entries) <= fewKeys {
		return index{few: keys}
	}
	return indexOf(keys)
}

// positions returns a function that returns the position of an entry in server, -1 if it is
// not there.
func (m *merged) positions(server []itemKey) func(e *entry) int {
	if m.aligned && !repeated(len(server), func(i int) itemKey { return server[i] }) {
		return func(e *entry) int {
			if e.slot < len(server) {
				return e.slot
			}
			return -1
		}
	}
	x := m.indexOf(server)
	return func(e *entry) int {
		if i, found := x.find(e.key); found {
			return i
		}
		return -1
	}
}

// inOrder sorts entries by position, delete directives last, and returns the entries and
// positions.
func inOrder(entries []entry, at []int) ([]entry, []int) {
	all, sorted, deleting := true, true, false
	for i := range at {
		all = all && at[i] >= 0
		sorted = sorted && (i == 0 || at[i-1] <= at[i])
		deleting = deleting || entries[i].deletes
	}
	if !deleting && all && sorted {
		return entries, at
	}
	stay, rest := byPosition{loose: !all}, byPosition{}
	for i, e := range entries {
		to := &stay
		if e.deletes {
			to = &rest
		}
		to.entries, to.at = append(to.entries, e), append(to.at, at[i])
	}
	sort.Stable(&stay)
	return append(stay.entries, rest.entries...), append(stay.at, rest.at...)
}

// byPosition sorts entries by position. If some positions are unknown (loose), any entry
// without one is less than any other; Go's stable sort then yields the same order as in
// kube-apiserver.
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
