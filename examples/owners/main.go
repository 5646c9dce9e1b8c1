// The owners of a field, and the configuration that a manager applied.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
)

func main() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	live, err := lab.Open(patchlab.Files(os.DirFS("../../testdata/quickstart"), "live.yaml"))
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{`.spec.replicas`, `.spec.template.spec.containers[name="web"].image`} {
		path, err := document.ParsePath(text)
		if err != nil {
			log.Fatal(err)
		}
		entries, err := live.Owners(path)
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range entries {
			fmt.Println(path, e.Owner)
		}
	}
	config, _, err := live.Extract("gitops", "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", config.YAML())
}
