// Schemas from a cluster's OpenAPI documents, as printed by 'kubectl get --raw
// /openapi/v3/apis/example.com/v1'.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/patchlab-dev/patchlab"
)

func main() {
	lab, err := patchlab.New(patchlab.Options{OpenAPI: os.DirFS("cluster")})
	if err != nil {
		log.Fatal(err)
	}
	first, err := lab.Apply(nil, route(`{"host": "a"}`, `{"host": "b"}`), patchlab.ApplyOptions{FieldManager: "alice"})
	if err != nil {
		log.Fatal(err)
	}
	second, err := lab.Apply(first.After, route(`{"host": "c"}`), patchlab.ApplyOptions{FieldManager: "bob"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(second.After.Value.Lookup("spec", "rules")) // merged by the key host
	for _, note := range second.Notes {
		fmt.Println(note)
	}
}

func route(rules ...string) patchlab.Input {
	text := `{"apiVersion": "example.com/v1", "kind": "Route", "metadata": {"name": "r", "namespace": "shop"}, "spec": {"rules": [`
	for i, r := range rules {
		if i > 0 {
			text += ","
		}
		text += r
	}
	return patchlab.Bytes(text + `]}}`)
}
