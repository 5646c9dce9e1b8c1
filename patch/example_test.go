package patch_test

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

func ExampleApply() {
	live := []byte("apiVersion: v1\nkind: ConfigMap\ndata:\n  color: red\n  size: \"1\"\n")
	out, typ, err := patch.Apply(live, []byte(`{"data":{"color":"blue","size":null}}`), patch.Request{Type: patch.TypeMerge})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s patch:\n%s", typ, out)
	// Output:
	// merge patch:
	// apiVersion: v1
	// data:
	//   color: blue
	// kind: ConfigMap
}

func ExampleStrategic() {
	catalog, err := schema.Builtin("")
	if err != nil {
		fmt.Println(err)
		return
	}
	pod, _ := catalog.Kind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	live, _ := document.Parse([]byte(`{"spec":{"containers":[{"name":"web","image":"nginx:1"}]}}`), document.Options{})
	change, _ := document.Parse([]byte(`{"spec":{"containers":[{"name":"web","image":"nginx:2"},{"name":"side","image":"busybox"}]}}`), document.Options{})
	after, err := patch.Strategic(live.Root, change.Root, pod.Type(), patch.Options{
		Observer: func(d patch.Decision) { fmt.Println(d.Outcome, d.Path) },
	})
	fmt.Println(after, err)
	// Output:
	// merged .spec
	// merged .spec.containers[0]
	// replaced .spec.containers[0].image
	// kept .spec.containers[0].name
	// added .spec.containers[1]
	// {"spec":{"containers":[{"image":"nginx:2","name":"web"},{"image":"busybox","name":"side"}]}} <nil>
}

func ExampleCreateJSON() {
	from, _ := document.Parse([]byte(`{"replicas":1,"args":["a","b"]}`), document.Options{})
	to, _ := document.Parse([]byte(`{"replicas":2,"args":["b"]}`), document.Options{})
	fmt.Println(patch.CreateJSON(from.Root, to.Root))
	// Output:
	// [{"op":"remove","path":"/args/0"},{"op":"replace","path":"/replicas","value":2}]
}
