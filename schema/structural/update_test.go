package structural

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestUpdateAgreesWithFullComputation: skipping the parts shared with the live object does
// not change the result.
func TestUpdateAgreesWithFullComputation(t *testing.T) {
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
		got, want = defaulted(DefaultUpdate(typ, next, live)), defaulted(Default(typ, next))
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

// Of an object that is settled nothing is pruned, dropped or filled in, and most objects
// that these have gone over are settled.
func TestSettled(t *testing.T) {
	typ := widget(t)
	kind := schema.NewKind(schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Widget"}, typ)
	found := map[bool]int{}
	for seed := range uint64(6000) {
		g := generate.New(seed, generate.Options{Odd: seed%3 == 0, Depth: 6, Breadth: 3})
		v := g.Object(kind)
		if seed%2 == 0 {
			v = clean(typ, v)
		}
		if seed%5 == 0 {
			v = g.Mutate(v, typ)
		}
		is := Settled(typ, v)
		if found[is]++; !is {
			continue
		}
		if now := clean(typ, v); !document.SameNode(now, v) {
			t.Fatalf("seed %d: %s is settled, and becomes %s", seed, v, now)
		}
	}
	if found[true] < 1000 || found[false] < 1000 {
		t.Errorf("%d objects are settled and %d are not, which tests little", found[true], found[false])
	}
}

// clean returns a pruned and defaulted object.
func clean(typ *schema.Type, v document.Value) document.Value {
	v, _ = Prune(typ, v)
	return defaulted(Default(typ, DropNulls(typ, v)))
}
