// The three-way patch of kubectl apply: fields removed from the manifest are removed,
// fields set by other clients are kept, and the last-applied annotation is updated.
package main

import (
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab"
)

func main() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	first, err := lab.ClientApply(nil, config(`{"color": "blue", "size": "small"}`), patchlab.ApplyOptions{Namespace: "shop"})
	if err != nil {
		log.Fatal(err)
	}
	other, err := lab.Patch(first.After, patchlab.Bytes(`{"data": {"owner": "team-a"}}`), patchlab.PatchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	second, err := lab.ClientApply(other.After, config(`{"color": "red"}`), patchlab.ApplyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(second.After.Value.Get("data"))
	fmt.Print(second.After.Value.Lookup("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration").StringOr(""))
}

func config(data string) patchlab.Input {
	return patchlab.Bytes(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": ` + data + `}`)
}
