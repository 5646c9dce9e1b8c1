package fieldset

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestCostIsLinear compares the memory that operations on n and on 8n fields allocate. A client may
// send managedFields of megabytes.
func TestCostIsLinear(t *testing.T) {
	paths := func(n int) []document.Path {
		all := make([]document.Path, n)
		for i := range all {
			all[i] = document.Keys("spec", "x"+strconv.Itoa(i))
		}
		return all
	}
	decoded := func(element string) func() {
		v := document.NewObject().With(element, document.NewObject())
		return func() {
			if _, err := Decode(v); err != nil {
				t.Error(err)
			}
		}
	}
	const rounded = "1234567890123456789"
	for _, c := range []struct {
		why     string
		prepare func(n int) func()
	}{
		{"the set of many paths", func(n int) func() {
			all := paths(n)
			return func() { Of(all...) }
		}},
		{"an element with a long list and a number that is rounded", func(n int) func() {
			return decoded("v:[" + rounded + strings.Repeat(",1", n) + "]")
		}},
		{"an element with many key fields whose numbers are rounded", func(n int) func() {
			var b strings.Builder
			for i := range n {
				b.WriteString(`,"k` + strconv.Itoa(i) + `":` + rounded)
			}
			return decoded("k:{" + b.String()[1:] + "}")
		}},
	} {
		cost := func(n int) uint64 {
			run := c.prepare(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run()
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		const n = 300
		if few, many := cost(n), cost(8*n); many > 2*8*few {
			t.Errorf("%s: %d KB for %d, %d KB for %d", c.why, few>>10, n, many>>10, 8*n)
		}
	}
}
