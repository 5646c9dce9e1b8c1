package generate

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func kind(t *testing.T, gvk schema.GroupVersionKind) *schema.Kind {
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

func TestSeedIsDeterministic(t *testing.T) {
	k := kind(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	drawn := func(seed uint64) string {
		g := New(seed, Options{Odd: true})
		v := g.Object(k)
		w := g.Mutate(v, k.Type())
		return v.String() + w.String() + g.StrategicPatch(v, k.Type()).String() + g.JSONPatch(v, 5).String()
	}
	first, again := drawn(7), drawn(7)
	if first != again {
		t.Error("the same seed made two things")
	}
	if first == drawn(8) {
		t.Error("two seeds made the same")
	}
}

// TestMergeKeysAreUnique: without Odd, items have unique merge keys.
func TestMergeKeysAreUnique(t *testing.T) {
	k := kind(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	items := 0
	for seed := range uint64(300) {
		g := New(seed, Options{Depth: 9, Breadth: 6})
		v := g.Mutate(g.Object(k), k.Type())
		seen := map[string]bool{}
		for _, c := range v.Lookup("spec", "template", "spec", "containers").Items() {
			name := c.Get("name")
			if name.Kind() != document.String || seen[name.String()] {
				t.Fatalf("seed %d: containers with a missing or repeated name: %s", seed, v)
			}
			seen[name.String()] = true
			items++
		}
	}
	if items < 100 {
		t.Errorf("only %d containers in 300 objects", items)
	}
}

func TestEveryKindCanBeGenerated(t *testing.T) {
	c, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for k := range c.Kinds() {
		if k.Resource == "" {
			continue
		}
		g := New(1, Options{Odd: true})
		v := g.Object(k)
		if _, err := document.Parse(v.JSON(), document.Options{}); err != nil {
			t.Errorf("%s: %v", k.GroupVersionKind, err)
		}
		n++
	}
	if n < 50 {
		t.Errorf("only %d kinds", n)
	}
}
