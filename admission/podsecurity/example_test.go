package podsecurity_test

import (
	"context"
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/admission/podsecurity"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/plugins"
)

// A namespace enforces a standard, and a pod violates it.
func ExamplePlugin() {
	var config cluster.Config
	if err := plugins.Configure(&config, []string{"PodSecurity"}, podsecurity.Plugin()); err != nil {
		log.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	create := func(resource, namespace, body string) error {
		_, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: resource, Namespace: namespace, Body: []byte(body)})
		return err
	}
	if err := create("namespaces", "", `{"metadata":{"name":"shop","labels":{"pod-security.kubernetes.io/enforce":"baseline"}}}`); err != nil {
		log.Fatal(err)
	}
	fmt.Println(create("pods", "shop", `{"metadata":{"name":"web"},"spec":{"hostNetwork":true,"containers":[{"name":"web","image":"nginx"}]}}`))
	// Output:
	// pods "web" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)
}
