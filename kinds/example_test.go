package kinds_test

import (
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// Validation expects an object with defaults, which package schema/defaults sets.
func ExampleStrategy_Validate() {
	catalog, err := schema.Builtin("1.36")
	if err != nil {
		log.Fatal(err)
	}
	rules, err := defaults.For("1.36")
	if err != nil {
		log.Fatal(err)
	}
	kind, _ := catalog.Kind(schema.GroupVersionKind{Version: "v1", Kind: "Service"})
	manifest, err := document.ParseYAML([]byte(`
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{port: 80}, {port: 99999, name: admin}]
`), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	object, err := rules.Fill(kind, manifest.Root, defaults.Options{})
	if err != nil {
		log.Fatal(err)
	}

	strategy := kinds.For(kind)
	for _, err := range strategy.Validate(kind, "", object, document.Value{}) {
		fmt.Println(err)
	}
	// Output:
	// spec.ports[0].name: Required value
	// spec.ports[1].port: Invalid value: 99999: must be between 1 and 65535, inclusive
	// spec.ports[1].targetPort: Invalid value: 99999: must be between 1 and 65535, inclusive
}

// The query of `kubectl exec` and the object that admission sees have these fields.
func ExampleStreamOptions() {
	options := kinds.StreamOptions("exec")
	fmt.Println(options.GroupVersionKind)
	for _, field := range options.Type().Map.Fields {
		fmt.Println(field.Name)
	}
	// Output:
	// v1, Kind=PodExecOptions
	// command
	// container
	// stderr
	// stdin
	// stdout
	// tty
}
