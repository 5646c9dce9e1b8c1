package structured

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestReconcileBehindTwins: a set whose elements repeat each other is reconciled
// as one whose elements do not, wherever there is something to reconcile.
func TestReconcileBehindTwins(t *testing.T) {
	text := &schema.Type{Scalar: schema.StringScalar}
	whole := &schema.Type{Map: &schema.MapType{Elem: text, Atomic: true}}
	item := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "a", Type: text}, {Name: "name", Type: text}, {Name: "whole", Type: whole}}}}
	items := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	top := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "all", Type: items}, {Name: "free", Type: item}, {Name: "whole", Type: whole}}}}
	set := func(s string) fieldset.Set {
		f, err := fieldset.Decode(parse(t, s))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const good, odd = `{".":{},"f:a":{},"f:name":{}}`, `{".":{},"f:a":{},"f:whole":{"f:x":{}}}`
	found := 0
	for _, from := range []int{0, 1, 150, 299, 300} {
		for _, n := range []int{1, 2, 300} {
			var b strings.Builder
			for i := range 300 {
				shape := good
				if i >= from && i < from+n {
					shape = odd
				}
				fmt.Fprintf(&b, `,"k:{\"name\":\"%03d\"}":%s`, i, shape)
			}
			// Two members of one shape, but of two types.
			text := `{"f:all":{` + b.String()[1:] + `},"f:free":{"f:x":{}},"f:whole":{"f:x":{}}}`
			got, want := reconcile(top, set(text)), reconcile(top, set(strings.ReplaceAll(text, `{"f:`, `{ "f:`)))
			if !got.Equal(want) {
				t.Errorf("%d odd ones from %d:\n got %.400s\nwant %.400s", n, from, got.JSON(), want.JSON())
			}
			found += strings.Count(got.JSON().String(), `"f:whole":{}`)
		}
	}
	if found < 300 {
		t.Errorf("only %d were reconciled", found)
	}
}
