// Five controllers update one object: each reads it, adds a label and writes it back. A
// controller whose version is outdated gets a conflict and reads again.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

func main() {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	request := cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "configmaps", Namespace: "shop"}
	send := func(verb cluster.Verb, body document.Value) (document.Value, error) {
		r := request
		r.Verb, r.Body = verb, body.JSON()
		if verb != cluster.Create {
			r.Name = "a"
		}
		response, err := c.Do(context.Background(), &r)
		if err != nil {
			return document.Value{}, err
		}
		return response.Object, nil
	}
	if _, err := send(cluster.Create, document.NewObject().Set(document.NewString("a"), "metadata", "name")); err != nil {
		log.Fatal(err)
	}
	waiting, conflicts := []string{"one", "two", "three", "four", "five"}, 0
	for round := 1; len(waiting) > 0; round++ {
		read, err := send(cluster.Get, document.Value{}) // all read the same version
		if err != nil {
			log.Fatal(err)
		}
		var late []string
		for _, name := range waiting {
			_, err := send(cluster.Update, read.Set(document.NewString("done"), "metadata", "labels", name))
			var status *cluster.Status
			if errors.As(err, &status) && status.Reason == cluster.ReasonConflict {
				late, conflicts = append(late, name), conflicts+1
			}
		}
		fmt.Printf("round %d: %d of %d conflict\n", round, len(late), len(waiting))
		waiting = late
	}
	last, _ := send(cluster.Get, document.Value{})
	fmt.Println(conflicts, "conflicts;", last.Lookup("metadata", "labels").Len(), "labels")
}
