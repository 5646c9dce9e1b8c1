package structured

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestLocateRoundedElementsInLinearTime compares the memory that locating n and 8n items allocates
// whose elements have been rounded in managedFields, so that the items have other elements.
func TestLocateRoundedElementsInLinearTime(t *testing.T) {
	numbers := &schema.Type{List: &schema.ListType{Elem: &schema.Type{Scalar: schema.IntegerScalar}, Kind: schema.SetList}}
	cost := func(n int) uint64 {
		var items, elements strings.Builder
		for i := range n {
			number := int64(1)<<60 + 1000*int64(i) + 1
			fmt.Fprintf(&items, ",%d", number)
			fmt.Fprintf(&elements, `,"v:%d":{}`, number)
		}
		list, trie := parse(t, "["+items.String()[1:]+"]"), parse(t, "{"+elements.String()[1:]+"}")
		read, err := fieldset.Decode(trie)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found := 0
		Locate(numbers, read, []document.Value{list}, func(_ document.Path, at []document.Value, _ []document.Path) bool {
			if at[0].Exists() {
				found++
			}
			return true
		})
		runtime.ReadMemStats(&after)
		if found != n {
			t.Errorf("%d of %d items were found", found, n)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	const n = 200
	if few, many := cost(n), cost(8*n); many > 2*8*few {
		t.Errorf("%d KB for %d items, %d KB for %d", few>>10, n, many>>10, 8*n)
	}
}
