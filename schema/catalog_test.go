package schema

import "testing"

func TestCatalogSmoke(t *testing.T) {
	for _, v := range Versions() {
		c, err := Builtin(v)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for k := range c.Kinds() {
			k.Type()
			n++
		}
		used := 0
		for _, x := range c.types {
			if x != nil {
				used++
			}
		}
		t.Log(v, n, used, c.Groups())
	}
}

func BenchmarkKind(b *testing.B) {
	c, _ := Builtin("")
	for _, name := range []GroupVersionKind{{"apps", "v1", "Deployment"}, {"", "v1", "ConfigMap"}, {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}} {
		k, _ := c.Kind(name)
		b.Run("cold/"+name.Kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fresh := &Catalog{archive: c.archive, column: c.column, types: make([]*Type, len(c.types))}
				_ = fresh
				r := k
				n, _ := c.archive.named(r.Type().Name)
				fresh.closure(n + 3)
			}
		})
	}
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			catalogs.open = nil
			if _, err := Builtin(""); err != nil {
				b.Fatal(err)
			}
		}
	})
}
