package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// Two managers apply the same object; the second apply fails with a conflict.
func ExampleCluster_Do() {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	apply := func(manager, mode string) error {
		_, err := c.Do(context.Background(), &cluster.Request{
			Verb: cluster.Patch, Format: cluster.ApplyPatch,
			Version: "v1", Resource: "configmaps", Namespace: "default", Name: "settings",
			Body:    []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"mode":"` + mode + `"}}`),
			Options: cluster.Options{FieldManager: manager},
		})
		return err
	}
	fmt.Println(apply("alice", "fast"))

	var st *cluster.Status
	if err := apply("bob", "safe"); errors.As(err, &st) {
		fmt.Println(st.Code, st.Reason)
		fmt.Println(st.Message)
	}
	// Output:
	// <nil>
	// 409 Conflict
	// Apply failed with 1 conflict: conflict with "alice": .data.mode
}

// An object is created and patched without a cluster.
func ExampleStep() {
	step := func(live document.Value, r *cluster.Request) document.Value {
		r.Version, r.Resource, r.Namespace = "v1", "services", "default"
		resp, err := cluster.Step(cluster.Config{}, live, r)
		if err != nil {
			log.Fatal(err)
		}
		return resp.Object
	}
	live := step(document.Value{}, &cluster.Request{
		Verb: cluster.Create, Options: cluster.Options{FieldManager: "alice"},
		Body: []byte(`{"metadata":{"name":"web"},"spec":{"clusterIP":"None","ports":[{"name":"http","port":80}]}}`),
	})
	live = step(live, &cluster.Request{
		Verb: cluster.Patch, Format: cluster.StrategicPatch, Name: "web", Options: cluster.Options{FieldManager: "bob"},
		Body: []byte(`{"spec":{"ports":[{"name":"admin","port":8080}]}}`),
	})
	fmt.Println(live.Lookup("spec", "ports"))
	// Output:
	// [{"name":"admin","port":8080,"protocol":"TCP","targetPort":8080},{"name":"http","port":80,"protocol":"TCP","targetPort":80}]
}

// A cluster begins with an object that was read from another one: its managers, uid and
// resourceVersion are kept.
func ExampleCluster_Existing() {
	object, err := document.Parse([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop",
		"uid":"7d9e7f1e-0000-4000-8000-000000000001","resourceVersion":"4711","creationTimestamp":"2026-01-01T00:00:00Z"},"data":{"mode":"fast"}}`), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	store := cluster.NewStore()
	kinds, err := cluster.New(cluster.Config{Store: store}) // it serves the kind, which may need a CustomResourceDefinition
	if err != nil {
		log.Fatal(err)
	}
	item, warnings, err := kinds.Existing(object.Root)
	if err != nil {
		log.Fatal(err)
	}
	if store, err = store.With(item); err != nil {
		log.Fatal(err)
	}
	c, err := cluster.New(cluster.Config{Store: store})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	got, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "configmaps", Namespace: "shop", Name: "settings"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Object.Lookup("metadata", "resourceVersion"), got.Object.Get("data"), len(warnings))
	// Output:
	// "4711" {"mode":"fast"} 0
}
