package structured

import (
	"hash/maphash"
	"sync"
	"unsafe"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// work holds the state of one call of the engine and its memory for intermediate
// values, which later calls use again. Results must not refer to that memory.
type work struct {
	types *Types
	// known are the types of other versions that were looked up.
	known map[string]*schema.Type
	// big is set if sets made from the objects must be reread before they are
	// compared with those of entries.
	big bool

	indices map[listKey]*index
	none    index // of empty lists
	scratch []byte
	seed    maphash.Seed
	slab    slabs
}

// works holds the memory of earlier calls, as *work.
var works sync.Pool

// begin returns the state for a call. end releases its memory.
func begin(t *Types) *work {
	w, ok := works.Get().(*work)
	if !ok {
		w = &work{indices: map[listKey]*index{}, seed: maphash.MakeSeed()}
	}
	w.types = t
	w.none = index{w: w, bad: -1}
	return w
}

const (
	// maxKept is the largest piece of memory that is kept for the next call, in
	// bytes.
	maxKept = 2 << 20
	// maxIndices is the largest number of indexed lists of a call whose memory is
	// kept.
	maxIndices = 1 << 16
)

func (w *work) end() {
	if len(w.indices) > maxIndices || cap(w.scratch) > maxKept {
		return
	}
	clear(w.indices)
	w.types, w.known, w.big = nil, nil, false
	w.slab.reset()
	works.Put(w)
}

// slabs are the memory of a work.
type slabs struct {
	bytes   slab[byte]
	texts   slab[string]
	ints    slab[int32]
	bools   slab[bool]
	indices slab[index]
	values  slab[document.Value]
}

func (s *slabs) reset() {
	s.bytes.reset()
	s.texts.reset()
	s.ints.reset()
	s.bools.reset()
	s.indices.reset()
	clear(s.values.kept) // values hold on to what they are parts of
	s.values.reset()
}

// cut copies text into the slab and splits it at the offsets in ends.
func (s *slabs) cut(into []string, text []byte, ends []int32) {
	b := s.bytes.take(len(text))
	copy(b, text)
	all, from := cutString(b), int32(0)
	for i, end := range ends {
		into[i] = all[from:end]
		from = end
	}
}

// slab allocates from large pieces of memory. Allocations are valid until reset.
type slab[T any] struct {
	free []T
	size int // of the largest piece
	kept []T // the largest piece
}

func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.size = max(2*s.size, n, 64)
		s.kept = make([]T, s.size)
		s.free = s.kept
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// reset frees all allocations.
func (s *slab[T]) reset() {
	if uintptr(s.size)*unsafe.Sizeof(*new(T)) > maxKept {
		*s = slab[T]{}
	}
	s.free = s.kept
}

// cutString returns bytes as a string without copying. They must not change.
func cutString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
