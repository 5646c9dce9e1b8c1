package patch

import (
	"math/rand/v2"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// slowWithoutRepeats is kubectl's procedure step by step: it looks for the next duplicate of each item.
func slowWithoutRepeats(items []document.Value) []document.Value {
	for i := 0; i < len(items); i++ {
		for j := i + 1; j < len(items); j++ {
			if document.Equal(items[i], items[j]) {
				items[j] = items[len(items)-1]
				items = items[:len(items)-1]
				j--
			}
		}
	}
	return items
}

func TestWithoutRepeatsIsTheSlowProcedure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		n, different := r.IntN(20), 1+r.IntN(12)
		a, b := make([]document.Value, n), make([]document.Value, n)
		for i := range a {
			a[i] = document.NewInt(int64(r.IntN(different)))
			b[i] = a[i]
		}
		before := document.NewList(a...).String()
		short, want := withoutRepeats(a), slowWithoutRepeats(b)
		// A caller may go on with the whole list, so that the items behind the end count too.
		if len(short) != len(want) || !document.Equal(document.NewList(a...), document.NewList(b...)) {
			t.Fatalf("%s becomes %v (%d), want %v (%d)", before, a, len(short), b, len(want))
		}
	}
}

// With a search for each duplicate, this takes minutes.
func TestWithoutRepeatsOfALongList(t *testing.T) {
	const n = 400_000
	items := make([]document.Value, 2*n)
	for i := range items {
		items[i] = document.NewInt(int64(i % n))
	}
	if got := withoutRepeats(items); len(got) != n {
		t.Errorf("%d items are left, want %d", len(got), n)
	}
}
