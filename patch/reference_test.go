package patch_test

import (
	"flag"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

var (
	cases = flag.Int("cases", 1500, "random cases for each comparison with the reference engine")
	seed  = flag.Uint64("seed", 1, "first seed of the random cases")
)

// kinds returns the kinds of the catalog that can be stored, for the random cases.
func kinds(t testing.TB) []*schema.Kind {
	t.Helper()
	c, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	var out []*schema.Kind
	for k := range c.Kinds() {
		if k.Resource != "" && k.Type().Map != nil {
			out = append(out, k)
		}
	}
	return out
}

func kindOf(t testing.TB, gvk schema.GroupVersionKind) *schema.Kind {
	t.Helper()
	c, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	k, ok := c.Kind(gvk)
	if !ok {
		t.Fatalf("no %s in the catalog", gvk)
	}
	return k
}

// drawn returns the number of cases to draw: with -short, as under the race detector, a tenth.
func drawn() int {
	if testing.Short() {
		return max(*cases/10, 1)
	}
	return *cases
}

// eachCase calls f with a generator and a kind for each seed.
func eachCase(t *testing.T, f func(t *testing.T, g *generate.Generator, k *schema.Kind)) {
	all := kinds(t)
	for i := range uint64(drawn()) {
		s := *seed + i
		g := generate.New(s, generate.Options{Odd: s%3 != 0, Depth: 5 + int(s%5), Breadth: 2 + int(s%4)})
		f(t, g, all[s%uint64(len(all))])
		if t.Failed() {
			t.Fatalf("seed %d", s)
		}
	}
}

// agree compares the results of our engine and of the reference engine; package verify
// defines equality and the known differences.
func agree(t *testing.T, c *verify.Case) {
	t.Helper()
	ref := verify.Reference{Patch: reference.Patch{}}
	if f := verify.Examine(ref, c, verify.Options{ShrinkTries: 500}); f != nil {
		t.Errorf("%s", f.Text())
	}
}

// labKind returns a kind whose lists merge by patch strategy, as in built-in kinds, or by
// list type.
func labKind(typ *schema.Type, listTypes bool) []*schema.Kind {
	k := schema.NewKind(schema.GroupVersionKind{Group: "lab", Version: "v1", Kind: "Thing"}, typ)
	k.Builtin = !listTypes
	return []*schema.Kind{k}
}

// two returns the input for applying or computing a patch.
func two(a string, v document.Value, b string, w document.Value) document.Value {
	return document.NewObject().With(a, v).With(b, w)
}

// printed returns a value after a round trip through text, as the reference engine reads
// it: 2.0 becomes the integer 2.
func printed(t testing.TB, v document.Value) document.Value { return parse(t, v.String()) }

func parse(t testing.TB, text string) document.Value {
	t.Helper()
	if text == "nothing" {
		return document.Value{}
	}
	d, err := document.Parse([]byte(text), document.Options{MaxBytes: -1, Duplicates: document.DuplicatesLast})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

func TestJSONAgreesWithReference(t *testing.T) {
	eachCase(t, func(t *testing.T, g *generate.Generator, k *schema.Kind) {
		object := printed(t, g.Object(k))
		change := parse(t, string(g.Spell(g.JSONPatch(object, 6))))
		agree(t, &verify.Case{Work: verify.JSONPatch, Kinds: []*schema.Kind{k}, Input: two("object", object, "patch", change)})
	})
}

func TestMergeAgreesWithReference(t *testing.T) {
	eachCase(t, func(t *testing.T, g *generate.Generator, k *schema.Kind) {
		object := printed(t, g.Object(k))
		change := parse(t, string(g.Spell(g.MergePatch(object, k.Type()))))
		agree(t, &verify.Case{Work: verify.MergePatch, Kinds: []*schema.Kind{k}, Input: two("object", object, "patch", change)})
	})
}

func TestStrategicAgreesWithReference(t *testing.T) {
	eachCase(t, func(t *testing.T, g *generate.Generator, k *schema.Kind) {
		object := printed(t, g.Object(k))
		change := parse(t, string(g.Spell(g.StrategicPatch(object, k.Type()))))
		agree(t, &verify.Case{Work: verify.StrategicPatch, Kinds: []*schema.Kind{k}, Input: two("object", object, "patch", change)})
	})
}

// TestListTypesAgreeWithReference: with ListTypes, custom resources are merged by list types.
func TestListTypesAgreeWithReference(t *testing.T) {
	lab := labKind(labType(), true)
	eachCase(t, func(t *testing.T, g *generate.Generator, _ *schema.Kind) {
		object := printed(t, g.Value(lab[0].Type()))
		if object.Kind() != document.Object {
			return
		}
		change := printed(t, g.StrategicPatch(object, lab[0].Type()))
		agree(t, &verify.Case{Work: verify.StrategicPatch, Kinds: lab, Input: two("object", object, "patch", change)})
		if to := printed(t, g.Mutate(object, lab[0].Type())); to.Kind() == document.Object {
			agree(t, &verify.Case{Work: verify.Create, Kinds: lab, Input: two("from", object, "to", to)})
		}
	})
}

func TestCreateAgreesWithReference(t *testing.T) {
	eachCase(t, func(t *testing.T, g *generate.Generator, k *schema.Kind) {
		from := printed(t, g.Object(k))
		to := printed(t, g.Mutate(from, k.Type()))
		agree(t, &verify.Case{Work: verify.Create, Kinds: []*schema.Kind{k}, Input: two("from", from, "to", to)})
	})
}

func TestThreeWayAgreesWithReference(t *testing.T) {
	eachCase(t, func(t *testing.T, g *generate.Generator, k *schema.Kind) {
		original := printed(t, g.Object(k))
		in := two("modified", printed(t, g.Mutate(original, k.Type())), "current", printed(t, g.Mutate(original, k.Type())))
		agree(t, &verify.Case{Work: verify.ThreeWay, Kinds: []*schema.Kind{k}, Input: in.With("original", original)})
	})
}
