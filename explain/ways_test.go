package explain

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestEditsTogetherAreEditsInTurn compares the edits of a configuration with a model that makes one
// after the other and copies all that encloses it. Like the fields of conflicts, those of the edits do
// not enclose each other, and none is the key of an item, without which the model does not find it.
func TestEditsTogetherAreEditsInTurn(t *testing.T) {
	registry := kinds(t)
	config := parsedYAML(t, aDeployment+`
spec:
  replicas: 2
  template:
    metadata: {labels: {a: "1", b: "2"}}
    spec:
      nodeSelector: {}
      containers:
      - {name: a, image: x, env: [{name: A, value: a}, {name: B, value: b}], ports: [{containerPort: 80, protocol: TCP}, {containerPort: 80, protocol: UDP}]}
      - {name: b, image: y}
      - {name: a, image: twice}
`)
	kind, ok := registry.Of(config)
	if !ok {
		t.Fatal("no such kind")
	}
	typ := kind.Type()
	container := func(name string) document.Path {
		return document.Keys("spec", "template", "spec", "containers").Join(fieldset.Step(`k:{"name":"` + name + `"}`))
	}
	variable := container("a").Join(document.Keys("env")...).Join(fieldset.Step(`k:{"name":"A"}`))
	port := container("a").Join(document.Keys("ports")...).Join(fieldset.Step(`k:{"containerPort":80,"protocol":"UDP"}`))
	paths := []document.Path{
		document.Keys("spec", "replicas"), document.Keys("spec", "paused"), document.Keys("spec", "replicas", "x"),
		document.Keys("spec", "template", "metadata", "labels", "a"), document.Keys("spec", "template", "metadata", "labels", "b"),
		document.Keys("spec", "template", "metadata", "labels"), document.Keys("spec", "template", "spec", "nodeSelector"),
		container("a"), container("b"), container("c"), container("b").Join(document.Keys("image")...),
		variable, variable.Join(document.Keys("value")...), port,
		nil,
	}
	values := []document.Value{{}, {}, document.NewString("new"), document.NewObject(), config.Lookup("spec", "template")}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var edits []edit
		want := config
		for _, at := range draw.Perm(len(paths))[:1+draw.IntN(5)] {
			e := edit{path: paths[at], value: values[draw.IntN(len(values))]}
			if slices.ContainsFunc(edits, func(o edit) bool { return o.path.HasPrefix(e.path) || e.path.HasPrefix(o.path) }) {
				continue
			}
			if len(e.path) > 0 {
				if _, named := e.path[len(e.path)-1].Name(); !named {
					e.value = document.Value{}
				}
			}
			edits = append(edits, e)
			want = editedInTurn(typ, want, e.path, e.value)
		}
		got, _ := edited(typ, config, edits)
		if !document.Identical(got, want) {
			text := ""
			for _, e := range edits {
				text += fmt.Sprintf("\n%s: %s", e.path, e.value)
			}
			t.Fatalf("together\n%s\nin turn\n%s\nafter%s", got, want, text)
		}
	}
}

// editedInTurn is the model.
func editedInTurn(t *schema.Type, v document.Value, path document.Path, value document.Value) document.Value {
	if len(path) == 0 {
		return value
	}
	withoutEmpty := func(v document.Value) document.Value {
		if v.Len() == 0 {
			return document.Value{}
		}
		return v
	}
	if name, ok := path[0].Name(); ok {
		kid := v.Get(name)
		if !kid.Exists() {
			return v
		}
		var kt *schema.Type
		if t != nil {
			kt = t.Map.Member(name)
		}
		next := editedInTurn(kt, kid, path[1:], value)
		if next == kid {
			return v
		}
		return withoutEmpty(v.With(name, next))
	}
	if t == nil || t.List == nil {
		return v
	}
	for i, item := range v.Items() {
		element, ok := structured.ItemElement(t.List, item)
		if !ok || fieldset.Step(element) != path[0] {
			continue
		}
		next := editedInTurn(t.List.Elem, item, path[1:], value)
		switch {
		case next == item:
			return v
		case !next.Exists():
			return withoutEmpty(v.Splice(i, 1))
		}
		return v.WithItem(i, next)
	}
	return v
}

// TestManyEditsCopyOnce checks that the memory for the edits of one object grows with their number, not
// with its square.
func TestManyEditsCopyOnce(t *testing.T) {
	work := func(n int) uint64 {
		var data document.ObjectBuilder
		edits := make([]edit, n)
		for i := range n {
			key := fmt.Sprint("k", i)
			data.SetString(key, "a")
			edits[i] = edit{path: document.Keys("data", key), value: document.NewString("b")}
		}
		config := document.NewObject().With("data", data.Object())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		edited(nil, config, edits)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := work(500), work(4000); many > 12*few {
		t.Errorf("500 edits take %d bytes, 4000 take %d", few, many)
	}
}

// TestResolveWithoutChoice: a nil choose leaves all conflicts open.
func TestResolveWithoutChoice(t *testing.T) {
	config := parsedYAML(t, aDeployment)
	conflicts := []fieldmanager.Conflict{{Path: document.Keys("spec", "replicas")}, {Path: document.Keys("spec", "paused")}}
	r, err := Resolve(nil, config, conflicts, nil)
	if err != nil || len(r.Open) != 2 || r.Force || r.Config != config {
		t.Errorf("%+v, %v, want both conflicts open", r, err)
	}
}
