package store

import (
	"slices"

	"github.com/tidwall/btree"
)

// entry is a value with the revision of its write. It never changes.
type entry[T any] struct {
	value    T
	revision int64
}

// items is the sorted index of one revision. A published one never changes:
// the next revision's index is a copy that shares all nodes but the changed
// path.
type items[T any] = btree.Map[string, *entry[T]]

// indexDegree is the B-tree's degree. A write copies one path of nodes, each of
// up to 2×degree−1 items, so small nodes make small copies: at 10,000 keys an
// update allocates 1.7 KB with degree 4 and 3.1 KB with degree 16, and reads
// take the same time.
const indexDegree = 4

// record is what one write did, and the index after it.
type record[T any] struct {
	key   string
	now   *entry[T] // nil for a deletion
	was   *entry[T] // nil for a creation
	index *items[T]
}

// event makes the event that reports the write.
func (r *record[T]) event(revision int64) Event[T] {
	e := Event[T]{Key: r.key, Revision: revision}
	if r.was != nil {
		e.Previous, e.PreviousRevision = r.was.value, r.was.revision
	}
	switch {
	case r.now == nil:
		e.Type, e.Value = Deleted, r.was.value
	case r.was == nil:
		e.Type, e.Value = Added, r.now.value
	default:
		e.Type, e.Value = Modified, r.now.value
	}
	return e
}

// firstWrite is the revision of the first write; at the one before, the store
// is empty.
const firstWrite = 2

const blockSize = 256

// block holds the records of blockSize consecutive revisions. A record is
// written once, before the state that makes it visible is published.
type block[T any] [blockSize]record[T]

// state is all that the store knows at one revision. It never changes, so that
// readers need no lock.
type state[T any] struct {
	revision int64
	// oldest is the oldest revision that can be read.
	oldest int64
	// first is the revision of the first record of blocks[0].
	first  int64
	blocks []*block[T]
	index  *items[T]
}

// newState returns the state of an empty store, which is at revision 1.
func newState[T any]() *state[T] {
	s := &state[T]{
		revision: 1, oldest: 1, first: 1,
		blocks: []*block[T]{new(block[T])},
		index:  btree.NewMap[string, *entry[T]](indexDegree),
	}
	s.blocks[0][0].index = s.index
	return s
}

// at returns the record of a revision from oldest to revision.
func (s *state[T]) at(revision int64) *record[T] {
	i := revision - s.first
	return &s.blocks[i/blockSize][i%blockSize]
}

// next returns the state after one more write and keeps history revisions. It
// writes into the free part of the last block, where no reader of s looks.
func (s *state[T]) next(r record[T], history int64) *state[T] {
	n := *s
	n.revision++
	n.index = r.index
	n.oldest = max(s.oldest, n.revision-history+1)
	if n.oldest-n.first >= blockSize {
		n.trim()
	}
	if n.revision-n.first == int64(len(n.blocks))*blockSize {
		n.blocks = append(n.blocks, new(block[T]))
	}
	*n.at(n.revision) = r
	return &n
}

// trim drops the blocks that hold nothing readable. The list of blocks is made
// anew: older states share the old one.
func (s *state[T]) trim() {
	gone := (s.oldest - s.first) / blockSize
	s.blocks = slices.Clone(s.blocks[gone:])
	s.first += gone * blockSize
}

// find returns the first revision in [from, to] that wrote to a key in scope,
// or 0.
func (s *state[T]) find(sc scope, from, to int64) int64 {
	for rev := max(from, s.oldest, firstWrite); rev <= to; rev++ {
		if sc.contains(s.at(rev).key) {
			return rev
		}
	}
	return 0
}
