package store

import (
	"slices"
	"sort"

	"github.com/tidwall/btree"

	"github.com/patchlab-dev/patchlab/store/internal/keyspace"
)

// entry is a value with the revision of its write. It is immutable.
type entry[T any] struct {
	value    T
	revision int64
}

// items is a sorted index of entries by key. A copy shares all nodes; a write to it or to the
// original then copies a path of nodes first.
type items[T any] = btree.Map[string, *entry[T]]

// indexDegree is the B-tree's degree. The first write after a list copies one path of nodes,
// each of up to 2×degree−1 items, so small nodes make small copies: at 10,000 keys such an
// update allocates 1.7 KB with degree 4 and 3.1 KB with degree 16, and reads take the same
// time.
const indexDegree = 4

// record holds one write.
type record[T any] struct {
	key      string
	revision int64
	now      *entry[T] // nil for a deletion
	was      *entry[T] // nil for a creation
	// bytes is the size of the value that the write replaced or removed. The
	// history keeps it in memory; the latest value is kept anyway.
	bytes int64
}

// apply makes the write in an index.
func (r *record[T]) apply(index *items[T]) { replace(index, r.key, r.now) }

// undo restores what an index held before the write.
func (r *record[T]) undo(index *items[T]) { replace(index, r.key, r.was) }

func replace[T any](index *items[T], key string, e *entry[T]) {
	if e == nil {
		index.Delete(key)
	} else {
		index.Set(key, e)
	}
}

// event returns the event that reports the write.
func (r *record[T]) event() Event[T] {
	e := Event[T]{Key: r.key, Revision: r.revision}
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

const blockSize = 256

// block holds the records of blockSize consecutive writes. A record is written
// once, before the state that makes it visible is published.
type block[T any] struct {
	records *[blockSize]record[T]
	// index holds the entries after the first of the records. It is nil in the first block of a
	// state, because nobody needs it there and it would keep values that are no longer readable.
	index *items[T]
}

func newBlock[T any](index *items[T]) block[T] { return block[T]{new([blockSize]record[T]), index} }

// bounds limit how much of the past a state keeps.
type bounds struct {
	writes int64 // number of latest writes to keep, at least 1
	bytes  int64 // maximum total size of replaced values
	// compacted is the number of latest writes that a compaction leaves to watches.
	compacted int64
}

// state is an immutable view of the store at one revision, so that readers need no lock.
//
// Records are numbered consecutively, because revisions may have gaps in a store that is
// shared with others. Each revision has at most one record.
type state[T any] struct {
	revision int64
	// oldest is the oldest readable revision.
	oldest int64
	// first is the number of the first record of blocks[0], start the number of the record
	// that led to oldest, last the number of the latest record.
	first, start, last int64
	// bytes is the total over the records from start, dead over the earlier ones that are not
	// released yet.
	bytes, dead int64
	blocks      []block[T]
}

// newState returns a state whose history begins at revision.
func newState[T any](revision int64) *state[T] {
	s := &state[T]{revision: revision, oldest: revision, blocks: []block[T]{newBlock[T](nil)}}
	s.blocks[0].records[0].revision = revision
	return s
}

// newIndex returns an empty index.
func newIndex[T any]() *items[T] { return btree.NewMap[string, *entry[T]](indexDegree) }

// at returns record n, from first to last.
func (s *state[T]) at(n int64) *record[T] {
	i := n - s.first
	return &s.blocks[i/blockSize].records[i%blockSize]
}

// find returns the number of the first record from start on with a revision
// greater than after, which is last+1 if there is none.
func (s *state[T]) find(after int64) int64 {
	return s.start + int64(sort.Search(int(s.last-s.start+1), func(i int) bool { return s.at(s.start+int64(i)).revision > after }))
}

// next returns the state after one more write, which has been made in index. It writes to the
// unused part of the last block, which readers of s do not access.
func (s *state[T]) next(r record[T], b bounds, index *items[T]) *state[T] {
	n := *s
	n.last++
	n.revision = r.revision
	n.bytes += r.bytes
	if n.last-n.first == int64(len(n.blocks))*blockSize {
		n.blocks = append(n.blocks, newBlock(index.Copy()))
	}
	*n.at(n.last) = r
	for n.start < n.last && (n.last-n.start >= b.writes || n.bytes > b.bytes) {
		n.forget()
	}
	if n.start-n.first >= blockSize || n.dead > b.bytes/4 {
		n.trim()
	}
	return &n
}

// forget removes the oldest revision from the history.
func (s *state[T]) forget() {
	size := s.at(s.start).bytes
	s.bytes -= size
	s.dead += size
	s.start++
	s.oldest = max(s.oldest, s.at(s.start).revision)
}

// compact removes every revision before the given one from the history. Watches still get the writes that led to them
// if they are among as many latest ones as b.compacted.
func (s *state[T]) compact(revision int64, b bounds) {
	for end := min(s.find(revision)-1, s.last-b.compacted); s.start < end; {
		s.forget()
	}
	s.oldest = revision
	s.trim()
}

// trim releases the records before start. It copies the list of blocks and the
// block that holds start, because older states share them.
func (s *state[T]) trim() {
	gone := (s.start - s.first) / blockSize
	s.blocks = slices.Clone(s.blocks[gone:])
	s.first += gone * blockSize
	s.blocks[0].index = nil
	if s.dead > 0 {
		records := *s.blocks[0].records
		clear(records[:s.start-s.first])
		s.blocks[0].records = &records
	}
	s.dead = 0
}

// findIn returns the number of the first record between from and to whose key is in scope, or
// 0.
func (s *state[T]) findIn(sc keyspace.Scope, from, to int64) int64 {
	for n := max(from, s.start); n <= to; n++ {
		if r := s.at(n); r.key != "" && sc.Contains(r.key) {
			return n
		}
	}
	return 0
}
