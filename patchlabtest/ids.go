package patchlabtest

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

// ids generates the uids and name suffixes of a server with a seed.
type ids struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newIDs(seed uint64) *ids { return &ids{rng: rand.New(rand.NewPCG(seed, 0))} }

// uid returns a UUID of version 4.
func (i *ids) uid() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	a, b := i.rng.Uint64(), i.rng.Uint64()
	a = a&^0xf000 | 0x4000
	b = b&^(3<<62) | 1<<63
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&(1<<48-1))
}

// suffix returns the five characters that the API server appends to a generateName.
func (i *ids) suffix() string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	i.mu.Lock()
	defer i.mu.Unlock()
	var b [5]byte
	for at := range b {
		b[at] = letters[i.rng.IntN(len(letters))]
	}
	return string(b[:])
}
