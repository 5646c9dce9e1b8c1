package patchlab_test

import (
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/explain"
)

func ExampleLab_Resolve() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	live, err := lab.Apply(nil, patchlab.Bytes(web), patchlab.ApplyOptions{FieldManager: "autoscaler"})
	if err != nil {
		log.Fatal(err)
	}
	config := patchlab.Bytes(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"team": "a"}}, "spec": {"replicas": 3}}`)
	resolution, err := lab.Resolve(live.After, config, patchlab.ApplyOptions{FieldManager: "gitops"},
		func(patchlab.Conflict) string { return explain.DropField })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resolution.Conflicts[0].Path, "of", resolution.Conflicts[0].Owner)
	fmt.Println("apply", resolution.Config.Lookup("metadata", "labels"), resolution.Config.Get("spec"))
	fmt.Println("replicas", resolution.Result.After.Value.Lookup("spec", "replicas"))
	// Output:
	// .spec.replicas of "autoscaler"
	// apply {"team":"a"} nothing
	// replicas 2
}

func ExampleLab_Alternatives() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	const from = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "1", l: "1"}}`
	const to = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "2"}}`
	alternatives, err := lab.Alternatives(patchlab.Bytes(from), patchlab.Bytes(to), patchlab.ApplyOptions{FieldManager: "gitops"})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range alternatives.Patches {
		fmt.Println(p.Action, p.Exact, p.Patch)
	}
	// Output:
	// json-patch true [{"op":"replace","path":"/data/k","value":"2"},{"op":"remove","path":"/data/l"}]
	// merge-patch true {"data":{"k":"2","l":null}}
	// strategic-patch true {"data":{"k":"2","l":null}}
	// apply false {"apiVersion":"v1","data":{"k":"2"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}
}

// A validating webhook compares the two objects of its request in this way.
func ExampleLab_Changes() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	applied, err := lab.Apply(nil, patchlab.Bytes(web), patchlab.ApplyOptions{FieldManager: "gitops"})
	if err != nil {
		log.Fatal(err)
	}
	patched, err := lab.Patch(applied.After, patchlab.Bytes(`{"spec": {"replicas": 5, "paused": true}}`), patchlab.PatchOptions{FieldManager: "alice"})
	if err != nil {
		log.Fatal(err)
	}
	changes, err := lab.Changes(applied.After, patched.After)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range changes {
		fmt.Println(c)
	}
	// Output:
	// .spec.paused set: nothing, now true; owned by nobody, now by "alice" using apps/v1
	// .spec.replicas taken over: 2, now 5; owned by "gitops", now by "alice" using apps/v1
}

// Without the migration, the removed field would remain: the earlier client-side apply would
// still own it.
func ExampleObject_Migrate() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	config := func(data string) patchlab.Input {
		return patchlab.Bytes("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\ndata: " + data)
	}
	live, err := lab.ClientApply(nil, config("{mode: fast, size: big}"), patchlab.ApplyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	from := live.After.Managed.ClientAppliers()
	for _, object := range []*patchlab.Object{live.After, live.After.Migrate(from, "gitops")} {
		result, err := lab.Apply(object, config("{mode: fast}"), patchlab.ApplyOptions{FieldManager: "gitops"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(object.Managed.Len(), "entry, then", result.After.Value.Get("data"))
	}
	// Output:
	// 1 entry, then {"mode":"fast","size":"big"}
	// 1 entry, then {"mode":"fast"}
}

func ExampleObject_Extract() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	applied, err := lab.Apply(nil, patchlab.Bytes(web), patchlab.ApplyOptions{FieldManager: "gitops"})
	if err != nil {
		log.Fatal(err)
	}
	for _, manager := range []string{"gitops", "alice"} {
		config, ok, err := applied.After.Extract(manager, "")
		fmt.Println(manager, ok, config.Get("metadata"), config.Lookup("spec", "replicas"), err)
	}
	// Output:
	// gitops true {"name":"web","namespace":"shop"} 2 <nil>
	// alice false nothing nothing <nil>
}
