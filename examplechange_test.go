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
