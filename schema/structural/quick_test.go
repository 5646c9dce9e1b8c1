package structural

import (
	"os"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestQuick(t *testing.T) {
	data, _ := os.ReadFile("../testdata/crds/widgets.yaml")
	doc, err := document.ParseYAML(data, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	crd, err := schema.FromCRD(doc.Root)
	if err != nil {
		t.Fatal(err)
	}
	o, _ := document.ParseYAML([]byte(`
apiVersion: lab.example.com/v1
kind: Widget
metadata: {name: x}
foo: 1
spec:
  replicas: null
  size: true
  bar: {x: 1}
  codes: [1, 1, 2]
  paused: "x"
  parts: [{name: a, zz: 1}, {name: a}, {value: b}]
`), document.Options{})
	typ := crd.Kinds[0].Type()
	v, unknown := Prune(typ, o.Root)
	for _, u := range unknown {
		t.Log(schema.FieldText(u))
	}
	v = DropNulls(typ, v)
	v = Default(typ, v)
	t.Log(v)
	for _, e := range Validate(typ, v, Options{}) {
		t.Log(e.Type, e)
	}
}
