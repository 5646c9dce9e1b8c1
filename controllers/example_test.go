package controllers_test

import (
	"context"
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
)

// A namespace is deleted, and the namespace controller deletes its contents.
func ExampleRun() {
	ctx, cancel := context.WithCancel(context.Background())
	c, err := cluster.New(cluster.Config{StrictNamespaces: true})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ended := make(chan error)
	go func() {
		ended <- controllers.Run(ctx, c, controllers.Options{Namespaces: true, GarbageCollection: true})
	}()

	do := func(r *cluster.Request) *cluster.Response {
		r.Version = "v1"
		resp, err := c.Do(ctx, r)
		if err != nil {
			log.Fatal(err)
		}
		return resp
	}
	do(&cluster.Request{Verb: cluster.Create, Resource: "namespaces", Body: []byte(`{"metadata":{"name":"shop"}}`)})
	do(&cluster.Request{Verb: cluster.Create, Resource: "configmaps", Namespace: "shop", Body: []byte(`{"metadata":{"name":"a"}}`)})
	watch := do(&cluster.Request{Verb: cluster.Watch, Resource: "configmaps", Namespace: "shop"})
	defer watch.Events.Stop()
	do(&cluster.Request{Verb: cluster.Delete, Resource: "namespaces", Name: "shop"})
	for range 2 {
		event, err := watch.Events.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Type, event.Object.Lookup("metadata", "name"))
	}

	cancel()
	fmt.Println(<-ended)
	// Output:
	// ADDED "a"
	// DELETED "a"
	// <nil>
}
