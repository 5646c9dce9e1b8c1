package explain_test

import (
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/schema"
)

func ExampleLint() {
	catalog, err := schema.Builtin("")
	if err != nil {
		log.Fatal(err)
	}
	manifest, err := document.ParseYAML([]byte(`
apiVersion: v1
kind: Service
metadata: {name: dns}
spec:
  ports:
  - {name: tcp, port: 53}
  - {name: other, port: 53}
`), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, findings := range explain.Lint(schema.NewRegistry(catalog), manifest.Root) {
		for _, f := range findings {
			fmt.Println(f.Severity, f.Rule, f.Path)
		}
	}
	// Output:
	// note defaulted-key .spec.ports[0]
	// error duplicate-item .spec.ports[1]
	// note defaulted-key .spec.ports[1]
}
