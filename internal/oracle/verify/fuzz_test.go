package verify

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// FuzzEngines mutates the inputs of generated cases: both engines must still have the same
// results.
func FuzzEngines(f *testing.F) {
	source := everyKind(f)
	for seed := range uint64(60) {
		f.Add(seed, source.Case(seed).Input.JSON())
	}
	shared := theReference().Merge()
	f.Fuzz(func(t *testing.T, seed uint64, input []byte) {
		d, err := document.Parse(input, document.Options{MaxBytes: 1 << 16})
		if err != nil || d.Root.Kind() != document.Object {
			return
		}
		c := source.Case(seed)
		c.Input = reread(d.Root) // as it is stored and printed
		if !c.possible() {
			return // not possible as a request or stored object
		}
		if out := newReferee(theReference(), shared).compare(c); out.Difference != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, c.Title(), out.Difference, c.Input)
		}
	})
}
