// Predict the result of an apply to a live Deployment and print its conflicts as JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/patchlab-dev/patchlab"
)

func main() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	files := os.DirFS("../../testdata/quickstart")
	live, manifest := patchlab.Files(files, "live.yaml"), patchlab.Files(files, "two-replicas.yaml")
	result, err := lab.Apply(live, manifest, patchlab.ApplyOptions{FieldManager: "gitops"})
	var conflicts *patchlab.Conflicts
	if errors.As(err, &conflicts) {
		text, _ := json.MarshalIndent(conflicts, "", "  ")
		fmt.Println(string(text))
		result, err = lab.Apply(live, manifest, patchlab.ApplyOptions{FieldManager: "gitops", Force: true})
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("by force:")
	for _, c := range result.Changes() {
		fmt.Println(c.Effect, c.Path)
	}
}
