// A GitOps diff that ignores fields owned by an autoscaler: the changes of a forced apply,
// without the fields that it would take over from the autoscaler.
package main

import (
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

func main() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	files := os.DirFS("../../testdata/quickstart")
	result, err := lab.Apply(patchlab.Files(files, "live.yaml"), patchlab.Files(files, "two-replicas.yaml"),
		patchlab.ApplyOptions{FieldManager: "gitops", Force: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Changes() {
		autoscaled := slices.ContainsFunc(c.OwnersBefore, func(o fieldmanager.Owner) bool { return o.Manager == "autoscaler" })
		if !autoscaled {
			fmt.Println(c.Effect, c.Path, c.Before, "->", c.After)
		}
	}
}
