package structural_test

import (
	"fmt"
	"os"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// Example performs the steps of kube-apiserver when a custom resource is created.
func Example() {
	data, err := os.ReadFile("../testdata/crds/widgets.yaml")
	if err != nil {
		panic(err)
	}
	definition, err := document.ParseYAML(data, document.Options{})
	if err != nil {
		panic(err)
	}
	crd, err := schema.FromCRD(definition.Root)
	if err != nil {
		panic(err)
	}
	widget := crd.Kinds[0].Type()

	doc, err := document.ParseYAML([]byte(`
apiVersion: lab.example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: true, replica: 3, note: null, tags: [a, a]}
`), document.Options{})
	if err != nil {
		panic(err)
	}
	object, unknown := structural.Prune(widget, doc.Root)
	for _, path := range unknown {
		fmt.Printf("unknown field %q\n", schema.FieldText(path))
	}
	if object, err = structural.Default(widget, structural.DropNulls(widget, object)); err != nil {
		panic(err)
	}
	fmt.Println(object.Get("spec"))
	for _, err := range structural.Validate(widget, object, structural.Options{}) {
		fmt.Println(err)
	}
	// Output:
	// unknown field "spec.replica"
	// {"note":null,"replicas":1,"size":true,"tags":["a","a"]}
	// spec.size: Invalid value: "boolean": spec.size in body must be of type integer,string: "boolean"
	// spec.tags[1]: Duplicate value: "a"
}
