// The four patches that change one state of a custom resource into another.
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
	// The API server does not support strategic merge patches for custom resources.
	// Programs that merge themselves can compute one by list types.
	strategic, err := patch.CreateStrategic(before.Value, after.Value, before.Kind.Type(), patch.Options{ListTypes: true})
	fmt.Println("strategic ", strategic, err)
	// A manager that owns all fields applies the whole object.
	fmt.Println("apply     ", after.Value)
}
