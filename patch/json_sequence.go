package patch

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// chunkSize is the initial number of items in a chunk; a chunk is split at twice this size.
const chunkSize = 512

// A sequence is a list in chunks, so that inserting or removing an item at any index takes
// the time of one chunk and of skipping the others.
type sequence struct {
	chunks [][]slot
	n      int
}

func newSequence(list document.Value, from origin, edits map[int]*slot) *sequence {
	q := &sequence{n: list.Len()}
	for start := 0; start < q.n; start += chunkSize {
		chunk := make([]slot, min(chunkSize, q.n-start))
		for i := range chunk {
			if s := edits[start+i]; s != nil {
				chunk[i] = *s
			} else {
				chunk[i] = slot{val: list.At(start + i), origin: from}
			}
		}
		q.chunks = append(q.chunks, chunk)
	}
	return q
}

// locate returns the chunk that contains item i and the index in it. The end of the list is
// in the last chunk.
func (q *sequence) locate(i int) (chunk, at int) {
	for c := range q.chunks {
		if n := len(q.chunks[c]); i < n || c == len(q.chunks)-1 {
			return c, i
		} else {
			i -= n
		}
	}
	return 0, i
}

func (q *sequence) at(i int) *slot {
	c, at := q.locate(i)
	return &q.chunks[c][at]
}

func (q *sequence) insert(i int, s slot) {
	q.n++
	if len(q.chunks) == 0 {
		q.chunks = append(q.chunks, []slot{s})
		return
	}
	c, at := q.locate(i)
	chunk := slices.Insert(q.chunks[c], at, s)
	q.chunks[c] = chunk
	if len(chunk) >= 2*chunkSize {
		tail := slices.Clone(chunk[chunkSize:])
		q.chunks[c] = chunk[:chunkSize:chunkSize]
		q.chunks = slices.Insert(q.chunks, c+1, tail)
	}
}

func (q *sequence) cut(i int) {
	q.n--
	c, at := q.locate(i)
	q.chunks[c] = slices.Delete(q.chunks[c], at, at+1)
	if len(q.chunks[c]) == 0 {
		q.chunks = slices.Delete(q.chunks, c, c+1)
	}
}

func (q *sequence) clone() *sequence {
	out := &sequence{chunks: make([][]slot, len(q.chunks)), n: q.n}
	for c, chunk := range q.chunks {
		out.chunks[c] = make([]slot, len(chunk))
		for i := range chunk {
			out.chunks[c][i] = chunk[i].clone(false)
		}
	}
	return out
}
