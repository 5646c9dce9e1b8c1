package patchlab_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/oracle/generate"
	"github.com/patchlab-dev/patchlab/schema"
)

// generated is an object of a generated custom resource that several managers have changed.
type generated struct {
	*generate.Generator
	kind *schema.Kind
	lab  *patchlab.Lab
	live document.Value // absent if all requests were refused
}

// version is the resourceVersion of every live object, which an update of a custom resource must have.
var version = document.NewString("1")

// newGenerated generates a kind and an object of it.
func newGenerated(t *testing.T, seed uint64) *generated {
	t.Helper()
	g := &generated{Generator: generate.New(seed, generate.Options{Depth: 5})}
	g.kind = withObjectMeta(t, g.Kind("lab.example.com/v1"))
	kinds := schema.NewRegistry(nil)
	kinds.Add(g.kind)
	g.lab = newLab(t, patchlab.Options{Kinds: kinds})
	for range 4 {
		q := g.request()
		var result *patchlab.Result
		var err error
		switch {
		case q.Apply:
			result, err = g.lab.Apply(g.live, q.Body, patchlab.ApplyOptions{FieldManager: q.Manager, Force: true})
		case g.live.Exists():
			result, err = g.lab.Update(g.live, q.Body, patchlab.WriteOptions{FieldManager: q.Manager})
		}

		if err == nil && result != nil {
			g.live = result.Object().Set(version, "metadata", "resourceVersion")
		}
	}
	return g
}

// withObjectMeta returns a kind whose metadata has the type of the built-in kinds.
func withObjectMeta(t *testing.T, k *schema.Kind) *schema.Kind {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	builtin, ok := catalog.Kind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	if !ok {
		t.Fatal("the catalog has no ConfigMap")
	}
	m := *k.Type().Map
	m.Fields = slices.Clone(m.Fields)
	for i := range m.Fields {
		if m.Fields[i].Name == "metadata" {
			m.Fields[i].Type = builtin.Type().Map.Field("metadata").Type
		}
	}
	out := schema.NewKind(k.GroupVersionKind, &schema.Type{Map: &m})
	out.Resource, out.Verbs = "things", []string{"create", "get", "patch", "update"}
	return out
}

// request returns the next request. Its metadata is valid and has changed annotations; that of an update
// has the resourceVersion of the live object.
func (g *generated) request() generate.Request {
	q := g.Request(g.kind, g.live.Remove("metadata", "managedFields"))
	metadata := document.NewObject().With("name", document.NewString("obj"))
	if !q.Apply {
		metadata = metadata.With("resourceVersion", version)
	}
	q.Body = q.Body.With("metadata", metadata.With("annotations", q.Body.Lookup("metadata", "annotations")))
	return q
}

// FuzzResolve: if the conflicts of an apply are resolved in any combination of ways, the resolved
// configuration is applied without a conflict, and with the result of the preview.
func FuzzResolve(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := newGenerated(t, seed)
		q := g.request()
		o := patchlab.ApplyOptions{FieldManager: q.Manager}
		found, err := g.lab.Resolve(g.live, q.Body, o, nil)
		if err != nil || len(found.Open) == 0 {
			return // refused, or without a conflict
		}
		got, err := g.lab.Resolve(g.live, q.Body, o, func(c patchlab.Conflict) string {
			ways := explain.Ways(c)
			return ways[g.IntN(len(ways))].Name
		})
		if errors.Is(err, explain.ErrWay) {
			return
		}
		o.Force = got.Force
		after, applyErr := g.lab.Apply(g.live, got.Config, o)
		switch {
		case err != nil || applyErr != nil:
			if !sameRefusal(err, applyErr) {
				t.Errorf("the preview is %v, applying it gives %v", err, applyErr)
			}
		case !document.Identical(got.Result.Object(), after.Object()):
			t.Errorf("the preview is\n%s\napplying it gives\n%s", got.Result.Object(), after.Object())
		}
	})
}

// FuzzAlternatives: the JSON patch between two objects yields the second, and each of the other patches
// that does not has a limit.
func FuzzAlternatives(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := newGenerated(t, seed)
		if !g.live.Exists() {
			return
		}
		q := g.request()
		got, err := g.lab.Alternatives(g.live, q.Body, patchlab.ApplyOptions{FieldManager: q.Manager})
		if err != nil {
			return
		}
		for _, p := range got.Patches {
			checkAlternative(t, "generated", 0, got, p)
		}
	})
}
