package schema

import (
	"os"
	"testing"
)

// BenchmarkKind resolves kinds: "cold" with no type decoded, "warm" with the type decoded,
// "open" including the list of kinds.
func BenchmarkKind(b *testing.B) {
	c := builtin(b, "")
	for _, gvk := range []GroupVersionKind{{"apps", "v1", "Deployment"}, {"", "v1", "ConfigMap"}, {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}} {
		k := kindOf(b, c, gvk.Group, gvk.Version, gvk.Kind)
		number, _ := c.archive.named(k.Type().Name)
		b.Run("cold/"+gvk.Kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fresh := &Catalog{archive: c.archive, column: c.column, types: make([]*Type, len(c.types))}
				fresh.closure(number + 3)
			}
		})
		b.Run("warm/"+gvk.Kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k, _ := c.Kind(gvk)
				k.Type()
			}
		})
	}
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fresh := &Catalog{archive: c.archive, column: c.column, kindNumbers: c.kindNumbers}
			fresh.ready()
		}
	})
}

func BenchmarkFromCRD(b *testing.B) {
	data, err := os.ReadFile("testdata/crds/widgets.yaml")
	if err != nil {
		b.Fatal(err)
	}
	v := parse(b, string(data))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromCRD(v); err != nil {
			b.Fatal(err)
		}
	}
}
