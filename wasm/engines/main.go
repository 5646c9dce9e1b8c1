//go:build js && wasm

// Command engines links the parts of patchlab that the page uses: documents and YAML,
// the catalog, the engines, and a cluster with an in-memory store. `make wasm-size`
// measures its size. Run under Node, it applies a configuration to a Deployment and to
// a list of 1,000 items, 60 times each, and prints the median CPU time of an apply and what it
// allocates. It fails if the allocations exceed their limit; the time depends on the machine, and is
// only printed.
package main

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall/js"
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
	ok := report("Deployment of "+strconv.Itoa(bytes.Count(d.Root.YAML(), []byte("\n")))+" lines", d.Root, nil, cost{2 * time.Millisecond, 75_000, 330})
	if !report("list of 1,000 items", list, kind, cost{30 * time.Millisecond, 700_000, 2_800}) || !ok {
		os.Exit(1)
	}
}

// cost is what an apply takes.
type cost struct {
	time   time.Duration // of the processor, with that of Node's compiler threads
	bytes  uint64        // allocated
	allocs uint64        // number of allocations
}

// report prints the cost of an apply beside its limits, and reports whether the allocations are within them.
func report(what string, object document.Value, kind *schema.Kind, most cost) bool {
	c := median(object, kind)
	within := c.bytes <= most.bytes && c.allocs <= most.allocs
	text := "apply to a " + what + ": " + milliseconds(c.time) + " of processor time (aimed at " + milliseconds(most.time) + "), " +
		strconv.FormatUint(c.bytes, 10) + " bytes of " + strconv.FormatUint(most.bytes, 10) + " in " +
		strconv.FormatUint(c.allocs, 10) + " allocations of " + strconv.FormatUint(most.allocs, 10)
	if !within {
		text += ", too many"
	}
	println(text)
	return within
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64) + " ms"
}

// median returns the medians of what it costs to apply an object to a cluster that holds it,
// with a different value each time, from the bytes of the request to those of the
// response.
func median(object document.Value, kind *schema.Kind) cost {
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
	force := true
	var times [60]time.Duration
	var sizes, allocs [60]uint64
	for i := range times {
		object = object.Set(document.NewInt(int64(i)), "spec", "replicas")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := processorTime()
		response, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: k.Group, Version: k.Version,
			Resource: k.Resource, Namespace: "default", Name: "it", Options: cluster.Options{FieldManager: "page", Force: &force},
			Body: object.Set(document.NewString("it"), "metadata", "name").JSON()})
		must(err)
		_ = response.Object.JSON()
		times[i] = processorTime() - began
		runtime.ReadMemStats(&after)
		sizes[i], allocs[i] = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	}
	slices.Sort(times[:])
	slices.Sort(sizes[:])
	slices.Sort(allocs[:])
	middle := len(times) / 2
	return cost{times[middle], sizes[middle], allocs[middle]}
}

// processorTime returns the CPU time of this process.
func processorTime() time.Duration {
	usage := js.Global().Get("process").Call("cpuUsage")
	return time.Duration(usage.Get("user").Int()+usage.Get("system").Int()) * time.Microsecond
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
