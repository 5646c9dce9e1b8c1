package structural

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestUpdatesAreAsWithoutTheLiveObject: skipping the parts shared with the live object does
// not change the result.
func TestUpdatesAreAsWithoutTheLiveObject(t *testing.T) {
	typ := widget(t)
	kind := schema.NewKind(schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Widget"}, typ)
	compared := map[bool]int{}
	for seed := range uint64(6000) {
		g := generate.New(seed, generate.Options{Odd: seed%3 == 0, Depth: 6, Breadth: 3})
		live := clean(typ, g.Object(kind))
		next := g.Mutate(live, typ)
		r := rand.New(rand.NewPCG(seed, 1))
		if list := next.Lookup("spec", "parts"); r.IntN(3) == 0 && list.Len() > 1 { // remove or append an item
			next = next.Set(list.Splice(r.IntN(list.Len()), r.IntN(2), list.At(0)), "spec", "parts")
		}
		want, wantUnknown := Prune(typ, next)
		got, unknown := PruneUpdate(typ, next, live)
		if !document.Identical(got, want) || fmt.Sprint(unknown) != fmt.Sprint(wantUnknown) {
			t.Fatalf("seed %d: pruned\n%s %v, want\n%s %v", seed, got, unknown, want, wantUnknown)
		}
		next = want
		got, want = DropNullsUpdate(typ, next, live), DropNulls(typ, next)
		if !document.Identical(got, want) {
			t.Fatalf("seed %d: without nulls\n%s, want\n%s", seed, got, want)
		}
		next = want
		got, want = DefaultUpdate(typ, next, live), Default(typ, next)
		if !document.Identical(got, want) {
			t.Fatalf("seed %d: filled\n%s, want\n%s", seed, got, want)
		}
		if errs, valid := ValidateUpdate(typ, live, Options{}); valid && len(errs) == 0 {
			wrong, _ := ValidateUpdate(typ, want, Options{Old: live})
			found, _ := ValidateUpdate(typ, want, Options{Old: live, Valid: live})
			if texts(found) != texts(wrong) {
				t.Fatalf("seed %d: found %s, want %s", seed, texts(found), texts(wrong))
			}
			compared[len(wrong) > 0]++
		}
	}
	if compared[true] < 50 || compared[false] < 500 {
		t.Errorf("%d invalid and %d valid objects were compared, which tests little", compared[true], compared[false])
	}
}

// clean returns a pruned and defaulted object.
func clean(typ *schema.Type, v document.Value) document.Value {
	v, _ = Prune(typ, v)
	return Default(typ, DropNulls(typ, v))
}
