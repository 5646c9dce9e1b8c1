package patchlab_test

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestKindsAreNotKeptForever counts the kinds that a Lab still holds after changes of more kinds than
// it keeps, as those of a long-running program that reads manifests of others.
func TestKindsAreNotKeptForever(t *testing.T) {
	const changes, most = 2500, 1000
	define := func(lab *patchlab.Lab, n int) {
		d, err := document.ParseYAML(fmt.Appendf(nil, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {field%d: {type: string}}}}}
`, n), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		crd, err := schema.FromCRD(d.Root)
		if err != nil {
			t.Fatal(err)
		}
		lab.Kinds().AddCRD(crd)
	}
	for _, test := range []struct {
		why    string
		before func(lab *patchlab.Lab, n int)
		kind   func(n int) string
	}{
		{"unknown kinds", func(*patchlab.Lab, int) {}, func(n int) string { return fmt.Sprintf("unknown.example.com/v1, kind: Kind%d", n) }},
		{"a definition that is replaced", define, func(int) string { return "example.com/v1, kind: Widget" }},
	} {
		lab := newLab(t, patchlab.Options{})
		kinds := make([]weak.Pointer[schema.Kind], changes)
		for n := range kinds {
			test.before(lab, n)
			result, err := lab.Apply(nil, patchlab.Bytes("{apiVersion: "+test.kind(n)+", metadata: {name: a, namespace: shop}}"), patchlab.ApplyOptions{})
			if err != nil {
				t.Fatalf("%s: %v", test.why, err)
			}
			kinds[n] = weak.Make(result.After.Kind)
		}
		runtime.GC()
		alive := 0
		for _, k := range kinds {
			if k.Value() != nil {
				alive++
			}
		}
		if alive == 0 || alive > most {
			t.Errorf("%s: the Lab holds %d of %d kinds, want at most %d", test.why, alive, changes, most)
		}
		runtime.KeepAlive(lab)
	}
}
