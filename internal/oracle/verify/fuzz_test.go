package verify

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// FuzzEngines lets the fuzzer change the inputs of drawn cases: both engines must
// still answer alike.
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
			return // nobody could have sent or stored it
		}
		if out := newReferee(theReference(), shared).compare(c); out.Difference != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, c.Title(), out.Difference, c.Input)
		}
	})
}
