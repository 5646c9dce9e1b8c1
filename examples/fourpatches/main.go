// The four patches that turn one state of a custom resource into another.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/patch"
)

const (
	from = `{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: w}, spec: {note: old, tags: [a, b], labels: {x: "1"}}}`
	to   = `{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: w}, spec: {tags: [b, c], labels: {x: "2"}}}`
)

func main() {
	lab, err := patchlab.New(patchlab.Options{CRDs: os.DirFS("../../testdata/crds")})
	if err != nil {
		log.Fatal(err)
	}
	before, err := lab.Open(patchlab.Bytes(from))
	if err != nil {
		log.Fatal(err)
	}
	after, err := lab.Open(patchlab.Bytes(to))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("json      ", patch.CreateJSON(before.Value, after.Value))
	merge, err := patch.CreateMerge(before.Value, after.Value, patch.Options{})
	fmt.Println("merge     ", merge, err)
	// The API server takes no strategic merge patch for custom resources. By their
	// list types one can be made all the same, for programs that merge themselves.
	strategic, err := patch.CreateStrategic(before.Value, after.Value, before.Kind.Type(), patch.Options{ListTypes: true})
	fmt.Println("strategic ", strategic, err)
	// What a manager that owns all of it applies is the object itself.
	fmt.Println("apply     ", after.Value)
}
