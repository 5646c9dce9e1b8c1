//go:build js && wasm

// Command engines is what a page needs of patchlab without a page: documents and
// YAML, the catalog, the engines, a cluster with its store in memory. Its size is
// what `make wasm-size` measures, and it measures its own speed: run under Node it
// applies a configuration to a Deployment and to a list of 1,000 items, prints what
// the fastest of many runs took, and fails where that is far beyond what is aimed
// at, or at all beyond it where PATCHLAB_STRICT_SPEED=1 says that the machine has
// nothing else to do.
package main

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func main() {
	live, err := os.ReadFile(os.Args[1])
	must(err)
	d, err := document.ParseYAML(live, document.Options{})
	must(err)
	kind, list := items(1000)
	ok := report("Deployment of "+strconv.Itoa(bytes.Count(d.Root.YAML(), []byte("\n")))+" lines", fastest(d.Root, nil), 2*time.Millisecond)
	if !report("list of 1,000 items", fastest(list, kind), 30*time.Millisecond) || !ok {
		os.Exit(1)
	}
}

// report prints how long an apply took and whether that is acceptable.
func report(what string, took, aim time.Duration) bool {
	most := 20 * aim // a machine with much to do may take so long
	if os.Getenv("PATCHLAB_STRICT_SPEED") == "1" {
		most = aim
	}
	text := "apply to a " + what + ": " + milliseconds(took) + " (aimed at " + milliseconds(aim) + ")"
	if took > most {
		text += ", too slow"
	}
	println(text)
	return took <= most
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64) + " ms"
}

// fastest applies an object to a cluster that holds it, with another value at
// each turn, from the bytes of the request to those of the answer.
func fastest(object document.Value, kind *schema.Kind) time.Duration {
	catalog, err := schema.Builtin("")
	must(err)
	kinds := schema.NewRegistry(catalog)
	if kind != nil {
		kinds.Add(kind)
	}
	k, ok := kinds.Of(object)
	if !ok {
		panic("the object is of no known kind")
	}
	c, err := cluster.New(cluster.Config{Kinds: kinds})
	must(err)
	meta := document.NewObject().With("name", object.Lookup("metadata", "name")).With("labels", object.Lookup("metadata", "labels"))
	object = object.With("metadata", meta).Without("status")
	force, best := true, time.Hour
	for i := range 60 {
		object = object.Set(document.NewInt(int64(i)), "spec", "replicas")
		began := time.Now()
		response, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: k.Group, Version: k.Version,
			Resource: k.Resource, Namespace: "default", Name: "it", Options: cluster.Options{FieldManager: "page", Force: &force},
			Body: object.Set(document.NewString("it"), "metadata", "name").JSON()})
		must(err)
		_ = response.Object.JSON()
		best = min(best, time.Since(began))
	}
	return best
}

func items(n int) (*schema.Kind, document.Value) {
	text, number := &schema.Type{Scalar: schema.StringScalar}, &schema.Type{Scalar: schema.IntegerScalar}
	item := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "name", Type: text}, {Name: "value", Type: text}}}}
	list := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	spec := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "items", Type: list}, {Name: "replicas", Type: number}}}}
	meta := &schema.Type{Map: &schema.MapType{Elem: schema.Deduced()}}
	k := schema.NewKind(schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Table"}, &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "apiVersion", Type: text}, {Name: "kind", Type: text}, {Name: "metadata", Type: meta}, {Name: "spec", Type: spec}}}})
	k.Resource, k.Namespaced, k.Storage, k.Verbs = "tables", true, true, []string{"create", "patch", "update"}
	var b document.ListBuilder
	for i := range n {
		b.Append(document.NewObject().With("name", document.NewString("item-"+strconv.Itoa(10000+i))).With("value", document.NewString("some value of this item")))
	}
	return k, document.NewObject().With("apiVersion", document.NewString("lab.example.com/v1")).With("kind", document.NewString("Table")).
		Set(document.NewString("it"), "metadata", "name").Set(b.List(), "spec", "items")
}

func must(err error) {
	if err != nil {
		println("error: " + err.Error())
		os.Exit(1)
	}
}
