package explain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

const settings = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: blue, size: m}
`

// now is the time of all requests in the examples.
var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// configMaps returns the type of ConfigMaps and their field manager.
func configMaps() (*schema.Type, *fieldmanager.Manager) {
	catalog, err := schema.Builtin("")
	if err != nil {
		panic(err)
	}
	registry := schema.NewRegistry(catalog)
	kind, _ := registry.Kind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	m, err := fieldmanager.For(registry, kind, "")
	if err != nil {
		panic(err)
	}
	return kind.Type(), m
}

func parsed(text string) document.Value {
	d, err := document.ParseYAML([]byte(text), document.Options{})
	if err != nil {
		panic(err)
	}
	return d.Root
}

// applied returns the object after a manager applied a configuration.
func applied(m *fieldmanager.Manager, live fieldmanager.Object, config document.Value, manager string) fieldmanager.Object {
	after, err := m.Apply(live, config, fieldmanager.ApplyOptions{FieldManager: manager, Force: true, Time: now})
	if err != nil {
		panic(err)
	}
	return after
}

// Lines returns the object's YAML with the owners of each line.
func ExampleLines() {
	t, m := configMaps()
	live := applied(m, fieldmanager.Object{}, parsed(settings), "alice")
	live = applied(m, live, parsed(settings).Remove("data").Set(document.NewString("l"), "data", "size"), "bob")
	owners := make([]string, 0, live.Managed.Len())
	for _, e := range live.Managed.Entries() {
		owners = append(owners, e.Manager)
	}
	for _, l := range explain.Lines(t, live) {
		owner := "-"
		for _, i := range l.Owners {
			owner = owners[i]
		}
		fmt.Printf("%-5s  %s\n", owner, l.Text)
	}
	// Output:
	// -      apiVersion: v1
	// -      data:
	// alice    color: blue
	// bob      size: l
	// -      kind: ConfigMap
	// -      metadata:
	// -        name: settings
}

// Changes lists the values and owners that a request changed.
func ExampleChanges() {
	t, m := configMaps()
	before := applied(m, fieldmanager.Object{}, parsed(settings), "alice")
	after := applied(m, before, parsed(settings).Remove("data").Set(document.NewString("l"), "data", "size"), "bob")
	for _, c := range explain.Changes(t, before, after) {
		text, _ := json.Marshal(c)
		fmt.Println(string(text))
	}
	// Output:
	// {"path":".data.size","effect":"taken over","before":"m","after":"l","ownersBefore":[{"manager":"alice","operation":"Apply","apiVersion":"v1"}],"ownersAfter":[{"manager":"bob","operation":"Apply","apiVersion":"v1"}]}
}

// Every conflict of an apply can be resolved in up to three ways.
func ExampleWays() {
	t, m := configMaps()
	live := applied(m, fieldmanager.Object{}, parsed(settings), "alice")
	config := parsed(settings).Set(document.NewString("l"), "data", "size")
	_, err := m.Apply(live, config, fieldmanager.ApplyOptions{FieldManager: "bob", Time: now})
	var conflicts *fieldmanager.Conflicts
	if !errors.As(err, &conflicts) {
		fmt.Println("no conflict:", err)
		return
	}
	for _, w := range explain.Ways(conflicts.List[0]) {
		fmt.Println(w.Name+":", w.Config(t, config).Get("data"), w.Force)
	}
	// Output:
	// force: {"color":"blue","size":"l"} true
	// drop: {"color":"blue"} false
	// adopt: {"color":"blue","size":"m"} false
}

func ExampleDrop() {
	t, _ := configMaps()
	config := explain.Drop(t, parsed(settings), document.Keys("data", "size"))
	config = explain.Drop(t, config, document.Keys("data", "color"))
	fmt.Println(config)
	// Output: {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"}}
}

func ExampleAdopt() {
	t, _ := configMaps()
	fmt.Println(explain.Adopt(t, parsed(settings), document.Keys("data", "size"), document.NewString("xl")).Get("data"))
	// Output: {"color":"blue","size":"xl"}
}

func ExampleMerges() {
	catalog, err := schema.Builtin("")
	if err != nil {
		fmt.Println(err)
		return
	}
	kind, _ := catalog.Kind(schema.GroupVersionKind{Version: "v1", Kind: "Service"})
	spec := kind.Type().Map.Member("spec")
	for _, name := range []string{"ports", "selector", "externalIPs", "type"} {
		fmt.Println(name, "-", explain.Merges(spec.Map.Member(name)))
	}
	// Output:
	// ports - keyed list (port, protocol): each item has its own owners
	// selector - atomic object: replaced as a whole
	// externalIPs - atomic list: replaced as a whole
	// type - single value
}

// Reasons lists the rule that decided each field, from the notes of the request.
func ExampleReasons() {
	pipeline, err := cluster.NewPipeline(cluster.Config{Now: func() time.Time { return now }})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := func(manager string, config document.Value) *cluster.Request {
		return &cluster.Request{Verb: cluster.Patch, Format: cluster.ApplyPatch, Version: "v1", Resource: "configmaps", Namespace: "shop", Name: "settings",
			Document: &document.Document{Root: config}, Notes: &explain.Notes{}, Options: cluster.Options{FieldManager: manager}}
	}
	config := parsed(settings).Set(document.NewString("shop"), "metadata", "namespace")
	color := config.Set(document.NewObject().With("color", document.NewString("blue")), "data")
	var live fieldmanager.Object
	for _, q := range []*cluster.Request{request("alice", config), request("bob", color), request("alice", config.Without("data"))} {
		response, err := pipeline.Step(nil, live, q)
		if err != nil {
			fmt.Println(err)
			return
		}
		live = response.After
		if q.FieldManager != "alice" || response.Code == 201 {
			continue
		}
		kind, _ := pipeline.Kinds().Resource("", "v1", "configmaps")
		for _, r := range explain.Reasons(explain.Write{Type: kind.Type(), Before: response.Before, After: live, Manager: "alice", Notes: q.Notes.(*explain.Notes)}) {
			fmt.Println(r.Path, r.Effect, r.Rule)
			fmt.Println("  " + r.Text)
		}
	}
	// Output:
	// .data.color given up apply/co-owned-kept
	//   The configuration no longer has the field, so the applier gives it up; it remains because bob (Apply) owns it too.
	// .data.size removed apply/prune
	//   The configuration no longer has the field, and nobody else owns it, so it is removed.
}
