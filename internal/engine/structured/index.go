package structured

import (
	"hash/maphash"
	"sort"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// index holds the path elements of a list's items and finds items by element. Its strings
// are valid during the current call of the engine; clone them to keep them.
type index struct {
	w        *work
	elements []string
	// ascending: every element is greater than the preceding one.
	ascending bool
	// table is a hash table of indices in elements plus one, created on demand.
	table []int32
	// next maps each item to the next item with the same element, -1 for none; nil if all
	// elements differ.
	next []int32
	// floats holds the elements with float64s beyond 2^53; nil if there are none. Such a
	// float64 equals every integer that is rounded to it.
	floats map[string]bool
	// read maps the elements as decoded from managedFields to the first item of each, created on
	// demand.
	read map[string]int
	// bad is the index of the first item without an element, -1 for none; mismatch is why it
	// has none.
	bad      int
	mismatch Mismatch
}

type listKey struct {
	list document.Identity
	kind *schema.ListType
}

// fewItems is the length up to which lists are searched linearly.
const fewItems = 8

// link computes next.
func (x *index) link() {
	x.next, x.table = nil, nil
	x.ascending = true
	for i := 1; i < len(x.elements) && x.ascending; i++ {
		x.ascending = x.elements[i-1] < x.elements[i]
	}
	if x.ascending {
		return
	}
	var last []int32 // for the first item with an element, the last one so far; 0 if it is unique
	for i, e := range x.elements {
		first := x.enter(e, i)
		if first == i {
			continue
		}
		if x.next == nil {
			x.next, last = x.w.slab.ints.take(len(x.elements)), x.w.slab.ints.take(len(x.elements))
			for k := range x.next {
				x.next[k], last[k] = -1, 0
			}
		}
		x.next[max(first, int(last[first]))] = int32(i)
		last[first] = int32(i)
	}
}

// enter adds item i to the table and returns the first item with its element.
func (x *index) enter(e string, i int) int {
	if len(x.elements) <= fewItems {
		return x.scan(e)
	}
	if x.table == nil {
		size := 32
		for size < 2*len(x.elements) {
			size *= 2
		}
		x.table = x.w.slab.ints.take(size)
		clear(x.table)
	}
	at := x.slot(e)
	if x.table[at] == 0 {
		x.table[at] = int32(i + 1)
	}
	return int(x.table[at]) - 1
}

// slot returns the position of an element in the table, or the free position for it.
func (x *index) slot(e string) int {
	mask := len(x.table) - 1
	at := int(maphash.String(x.w.seed, e)) & mask
	for x.table[at] != 0 && x.elements[x.table[at]-1] != e {
		at = (at + 1) & mask
	}
	return at
}

func (x *index) scan(e string) int {
	for i := range x.elements {
		if x.elements[i] == e {
			return i
		}
	}
	return -1
}

// follower returns the next item with the same element as item i, -1 for none.
func (x *index) follower(i int) int {
	if x.next == nil {
		return -1
	}
	return int(x.next[i])
}

// find returns the first item with an element, -1 for none.
func (x *index) find(e string) int {
	switch {
	case len(x.elements) <= fewItems:
		return x.scan(e)
	case x.ascending:
		i := sort.SearchStrings(x.elements, e)
		if i < len(x.elements) && x.elements[i] == e {
			return i
		}
		return -1
	case x.table == nil:
		for i, e := range x.elements {
			x.enter(e, i)
		}
	}
	return int(x.table[x.slot(e)]) - 1
}

// findNear is find, beginning at index i.
func (x *index) findNear(e string, i int) int {
	if i < len(x.elements) && x.elements[i] == e && x.isFirst(i) {
		return i
	}
	return x.find(e)
}

// findRead is find for an element decoded from a field set.
func (x *index) findRead(e string) int {
	if i := x.find(e); i >= 0 || !fieldset.Big(e) {
		return i
	}
	if x.read == nil {
		x.read = make(map[string]int, len(x.elements))
		for i := len(x.elements) - 1; i >= 0; i-- {
			x.read[fieldset.Reread(x.elements[i])] = i
		}
	}
	if i, found := x.read[e]; found {
		return i
	}
	return -1
}

// isFirst reports whether item i is the first with its element.
func (x *index) isFirst(i int) bool {
	return x.next == nil || x.find(x.elements[i]) == i
}

// meet replaces the elements of integers beyond 2^53 by those of the float64 they are
// rounded to, if that is one of floats.
func (x *index) meet(floats map[string]bool) {
	x.floats = floats
	for i, e := range x.elements {
		if near := fieldset.Reread(e); floats[near] {
			x.elements[i] = near
		}
	}
}
