package structured

import (
	"hash/maphash"
	"sync"
	"unsafe"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// work is the state of one call of the engine with its memory for intermediate values,
// which later calls reuse. Results must not refer to that memory.
type work struct {
	types *Types
	// known caches the types of other versions.
	known map[string]*schema.Type
	// big is set if sets from objects must be reread before they are compared with those of
	// entries.
	big bool

	indices map[listKey]*index
	none    index // for empty lists
	scratch []byte
	keys    []byte // see key
	seed    maphash.Seed
	slab    slabs
}

// works is a pool of *work.
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
	// maxKept is the size in bytes of the largest chunk kept for the next call.
	maxKept = 2 << 20
	// maxIndices is the maximum number of indexed lists of a call whose memory is kept.
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

// slabs holds the arenas of a work.
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
	clear(s.values.kept) // values keep their documents alive
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

// slab allocates from large chunks. Allocations are valid until reset.
type slab[T any] struct {
	free []T
	size int // of the largest chunk
	kept []T // the largest chunk
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

// cutString returns bytes as a string without copying. The bytes must not be modified.
func cutString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
