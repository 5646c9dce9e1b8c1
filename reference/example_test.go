package reference_test

import (
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/reference"
)

// A Lab that merges and patches with the libraries of kube-apiserver.
func Example() {
	lab, err := patchlab.New(patchlab.Options{MergeEngine: reference.Merger(), PatchEngine: reference.Patch{}})
	if err != nil {
		log.Fatal(err)
	}
	created, err := lab.Apply(nil, patchlab.Bytes(`
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast, level: "1"}
`), patchlab.ApplyOptions{FieldManager: "alice"})
	if err != nil {
		log.Fatal(err)
	}
	patched, err := lab.Patch(created.After, patchlab.Bytes(`{"data": {"level": null}}`), patchlab.PatchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(patched.After.Value.Get("data"))
	// Output: {"mode":"fast"}
}
