// Processor time is read with getrusage.

//go:build unix

package patch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

// A workload is an object and one change to it as a patch of each type.
type workload struct {
	name                  string
	object                []byte
	kind                  *schema.Kind
	strategic, merge, ops string
	lastApplied, wanted   []byte
}

// workloads returns the rows of doc/performance.md.
func workloads(b *testing.B) []workload {
	deployment, err := os.ReadFile(filepath.Join("..", "testdata", "bench", "deployment.json"))
	if err != nil {
		b.Fatal(err)
	}
	image := "registry.example.com/shop/worker:3"
	d := workload{
		name: "deployment", object: deployment, kind: kindOf(b, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}),
		strategic: `{"spec":{"template":{"spec":{"containers":[{"name":"worker","image":"` + image + `"}]}}}}`,
		merge:     `{"metadata":{"annotations":{"example.com/note":"seen"}},"spec":{"replicas":5}}`,
		ops:       `[{"op":"replace","path":"/spec/template/spec/containers/1/image","value":"` + image + `"}]`,
	}
	d.lastApplied, d.wanted = configurations(b, d, "managedFields", "status")
	out := []workload{d}
	for _, n := range []int{100, 1000, 10000} {
		out = append(out, items(b, n, false))
	}
	return append(out, items(b, 1000, true), items(b, 10000, true), configMap(b))
}

// configurations returns the server-side apply configurations before and after the change:
// the object without the fields that the server sets.
func configurations(b *testing.B, w workload, without ...string) (before, after []byte) {
	b.Helper()
	v := parse(b, string(w.object))
	for _, key := range without {
		v = v.Without(key).Set(v.Get("metadata").Without(key), "metadata")
	}
	next, err := patch.Strategic(v, parse(b, w.strategic), w.kind.Type(), patch.Options{ListTypes: !w.kind.Builtin})
	if err != nil {
		b.Fatal(err)
	}
	return v.JSON(), next.JSON()
}

// items returns a custom resource with a keyed list.
func items(b *testing.B, n int, shuffled bool) workload {
	text := &schema.Type{Scalar: schema.StringScalar}
	item := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "name", Type: text}, {Name: "note", Type: text}, {Name: "value", Type: &schema.Type{Scalar: schema.IntegerScalar}}}}}
	list := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	spec := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "items", Type: list}}}}
	kind := schema.NewKind(schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Set"},
		&schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "spec", Type: spec}}}})
	var s strings.Builder
	s.WriteString(`{"apiVersion":"lab.example.com/v1","kind":"Set","metadata":{"name":"obj"},"spec":{"items":[`)
	for i := range n {
		k := i
		if shuffled {
			k = i * 7919 % n
		}
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, `{"name":"item-%05d","note":"what there is to say of this item","value":%d}`, k, k)
	}
	s.WriteString(`]}}`)
	name := fmt.Sprintf("items-%d", n)
	if shuffled {
		name += "-shuffled"
	}
	w := workload{
		name: name, object: []byte(s.String()), kind: kind,
		strategic: fmt.Sprintf(`{"spec":{"items":[{"name":"item-%05d","value":-1}]}}`, n/2),
		merge:     `{"metadata":{"annotations":{"a":"b"}}}`,
		ops:       fmt.Sprintf(`[{"op":"replace","path":"/spec/items/%d/value","value":-1}]`, n/2),
	}
	w.lastApplied, w.wanted = configurations(b, w)
	return w
}

// configMap returns a ConfigMap of one mebibyte.
func configMap(b *testing.B) workload {
	var s strings.Builder
	s.WriteString(`{"apiVersion":"v1","data":{`)
	for i := range 256 {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, `"file-%03d.conf":"%s"`, i, strings.Repeat("setting = \\\"value\\\"\\n", 204))
	}
	s.WriteString(`},"kind":"ConfigMap","metadata":{"name":"obj","namespace":"ns"}}`)
	change := `{"data":{"file-100.conf":"new"}}`
	w := workload{
		name: "configmap-1MiB", object: []byte(s.String()), kind: kindOf(b, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}),
		strategic: change, merge: change, ops: `[{"op":"replace","path":"/data/file-100.conf","value":"new"}]`,
	}
	w.lastApplied, w.wanted = configurations(b, w)
	return w
}

// beside benchmarks our engine and a peer on every workload.
func beside(b *testing.B, ours, peer func(w workload) ([]byte, error)) {
	for _, w := range workloads(b) {
		for _, side := range []struct {
			name string
			do   func(w workload) ([]byte, error)
		}{{"ours", ours}, {"peer", peer}} {
			b.Run(w.name+"/"+side.name, func(b *testing.B) {
				b.SetBytes(int64(len(w.object)))
				b.ReportAllocs()
				before := userTime()
				for b.Loop() {
					if _, err := side.do(w); err != nil {
						b.Fatal(err)
					}
				}
				// Unlike the elapsed time, this does not depend on other load on the
				// machine.
				b.ReportMetric(float64(userTime()-before)/float64(b.N), "user-ns/op")
			})
		}
	}
}

// userTime returns the CPU time of this process in user mode.
func userTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func apply(w workload, typ patch.Type, change string) ([]byte, error) {
	out, _, err := patch.Apply(w.object, []byte(change), patch.Request{Type: typ, Kind: w.kind, Options: patch.Options{ListTypes: true}})
	return out, err
}

func BenchmarkStrategic(b *testing.B) {
	beside(b, func(w workload) ([]byte, error) { return apply(w, patch.TypeStrategic, w.strategic) },
		func(w workload) ([]byte, error) {
			return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(w.object, []byte(w.strategic), reference.PatchMeta(w.kind.Type(), !w.kind.Builtin))
		})
}

func BenchmarkMerge(b *testing.B) {
	beside(b, func(w workload) ([]byte, error) { return apply(w, patch.TypeMerge, w.merge) },
		func(w workload) ([]byte, error) { return jsonpatch.MergePatch(w.object, []byte(w.merge)) })
}

func BenchmarkJSON(b *testing.B) {
	beside(b, func(w workload) ([]byte, error) { return apply(w, patch.TypeJSON, w.ops) },
		func(w workload) ([]byte, error) {
			p, err := jsonpatch.DecodePatch([]byte(w.ops))
			if err != nil {
				return nil, err
			}
			return p.Apply(w.object)
		})
}

func BenchmarkThreeWay(b *testing.B) {
	beside(b, func(w workload) ([]byte, error) {
		p, _, err := patch.ThreeWayText(w.lastApplied, w.wanted, w.object, w.kind, patch.ThreeWayOptions{Options: patch.Options{ListTypes: true}})
		return p, err
	}, func(w workload) ([]byte, error) {
		return strategicpatch.CreateThreeWayMergePatch(w.lastApplied, w.wanted, w.object, reference.PatchMeta(w.kind.Type(), !w.kind.Builtin), true)
	})
}

// BenchmarkRemovals removes ten thousand items from the front of a list one at a time.
func BenchmarkRemovals(b *testing.B) {
	w := items(b, 10000, false)
	ops := []byte("[" + strings.TrimSuffix(strings.Repeat(`{"op":"remove","path":"/spec/items/0"},`, 10000), ",") + "]")
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := patch.Apply(w.object, ops, patch.Request{Type: patch.TypeJSON}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("peer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p, err := jsonpatch.DecodePatch(ops)
			if err == nil {
				_, err = p.Apply(w.object)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkScan is the lower bound: parsing and printing the object once.
func BenchmarkScan(b *testing.B) {
	for _, w := range workloads(b) {
		b.Run(w.name, func(b *testing.B) {
			b.SetBytes(int64(len(w.object)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := document.Parse(w.object, document.Options{})
				if err != nil {
					b.Fatal(err)
				}
				d.Root.JSON()
			}
		})
	}
}
