package plugins_test

import (
	"context"
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/plugins"
)

// A LimitRange sets the limits of a container that has none, and refuses one that asks for too much.
func ExampleConfigure() {
	var config cluster.Config
	if err := plugins.Configure(&config, []string{"LimitRanger"}); err != nil {
		log.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	create := func(resource, body string) (*cluster.Response, error) {
		return c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: resource, Namespace: "shop", Body: []byte(body)})
	}
	if _, err := create("limitranges", `{"metadata":{"name":"small"},"spec":{"limits":[{"type":"Container","default":{"cpu":"500m"},"max":{"cpu":"1"}}]}}`); err != nil {
		log.Fatal(err)
	}
	pod, err := create("pods", `{"metadata":{"name":"web"},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pod.Object.Lookup("spec", "containers").At(0).Get("resources"))
	_, err = create("pods", `{"metadata":{"name":"job"},"spec":{"containers":[{"name":"job","image":"job","resources":{"limits":{"cpu":"2"}}}]}}`)
	fmt.Println(err)
	// Output:
	// {"limits":{"cpu":"500m"},"requests":{"cpu":"500m"}}
	// pods "job" is forbidden: maximum cpu usage per Container is 1, but limit is 2
}
