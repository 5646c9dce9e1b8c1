// Migration from client-side to server-side apply: without it, a field removed from the
// manifest would remain in the object.
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
	old, err := lab.ClientApply(nil, config(`{"color": "blue", "size": "small"}`), patchlab.ApplyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	migrated := old.After.Migrate([]string{"kubectl-client-side-apply"}, "gitops")
	for _, live := range []*patchlab.Object{old.After, migrated} {
		result, err := lab.Apply(live, config(`{"color": "blue"}`), patchlab.ApplyOptions{FieldManager: "gitops"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.After.Value.Get("data"))
		for _, e := range result.After.Managed.Entries() {
			fmt.Println(" ", e.Owner.Manager, e.Owner.Operation, e.Fields.Len(), "fields")
		}
	}
}

func config(data string) patchlab.Input {
	return patchlab.Bytes(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": ` + data + `}`)
}
