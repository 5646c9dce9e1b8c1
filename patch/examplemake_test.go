package patch_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// value parses JSON text.
func value(text string) document.Value {
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return d.Root
}

// builtin returns a built-in kind of the default Kubernetes version.
func builtin(group, version, kind string) *schema.Kind {
	catalog, err := schema.Builtin("")
	if err != nil {
		log.Fatal(err)
	}
	k, ok := catalog.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
	if !ok {
		log.Fatal("no kind ", kind)
	}
	return k
}

// An error has the operation, the reason, and the API server's status code.
func ExampleJSON() {
	object := value(`{"spec":{"replicas":1}}`)
	after, err := patch.JSON(object, value(`[{"op":"test","path":"/spec/replicas","value":1},{"op":"replace","path":"/spec/replicas","value":3}]`), patch.Options{})
	fmt.Println(after, err)

	_, err = patch.JSON(object, value(`[{"op":"test","path":"/spec/replicas","value":2}]`), patch.Options{})
	var e *patch.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code(), errors.Is(err, patch.ErrTestFailed))
	}
	// Output:
	// {"spec":{"replicas":3}} <nil>
	// 422 true
}

func ExampleMerge() {
	after, err := patch.Merge(value(`{"data":{"a":"1","b":"2"},"list":[1,2]}`), value(`{"data":{"a":null,"c":"3"},"list":[3]}`), patch.Options{})
	fmt.Println(after, err)
	// Output: {"data":{"b":"2","c":"3"},"list":[3]} <nil>
}

func ExampleCreateMerge() {
	p, err := patch.CreateMerge(value(`{"data":{"a":"1","b":"2"}}`), value(`{"data":{"b":"3"}}`), patch.Options{})
	fmt.Println(p, err)
	// Output: {"data":{"a":null,"b":"3"}} <nil>
}

func ExampleCreateStrategic() {
	pod := builtin("", "v1", "Pod")
	from := value(`{"spec":{"containers":[{"name":"web","image":"nginx:1"},{"name":"side","image":"busybox"}]}}`)
	to := value(`{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}`)
	p, err := patch.CreateStrategic(from, to, pod.Type(), patch.Options{})
	fmt.Println(p, err)
	// Output: {"spec":{"$setElementOrder/containers":[{"name":"web"}],"containers":[{"image":"nginx:2","name":"web"},{"$patch":"delete","name":"side"}]}} <nil>
}

// The patch of 'kubectl apply': b was applied before and is removed; c was added by another
// client and is kept.
func ExampleThreeWay() {
	original := value(`{"data":{"a":"1","b":"2"}}`)
	modified := value(`{"data":{"a":"9"}}`)
	current := value(`{"data":{"a":"1","b":"2","c":"3"}}`)
	p, typ, err := patch.ThreeWay(original, modified, current, builtin("", "v1", "ConfigMap"), patch.ThreeWayOptions{})
	fmt.Println(p, typ, err)
	// Output: {"data":{"a":"9","b":null}} strategic <nil>
}

func ExampleThreeWayText() {
	p, typ, err := patch.ThreeWayText(nil, []byte("data:\n  a: \"9\"\n"), []byte(`{"data":{"a":"1"}}`), nil, patch.ThreeWayOptions{})
	fmt.Println(string(p), typ, err)
	// Output: {"data":{"a":"9"}} merge <nil>
}

func ExampleThreeWayMerge() {
	p, err := patch.ThreeWayMerge(value(`{"spec":{"a":1,"b":2}}`), value(`{"spec":{"a":1}}`), value(`{"spec":{"a":5,"b":2}}`), patch.ThreeWayOptions{})
	fmt.Println(p, err)
	// Output: {"spec":{"a":1,"b":null}} <nil>
}

// The live object was changed since the last apply, which 'kubectl apply --overwrite=false'
// refuses.
func ExampleThreeWayStrategic() {
	typ := builtin("", "v1", "ConfigMap").Type()
	original, modified, current := value(`{"data":{"a":"1"}}`), value(`{"data":{"a":"2"}}`), value(`{"data":{"a":"3"}}`)
	_, err := patch.ThreeWayStrategic(original, modified, current, typ, patch.ThreeWayOptions{RefuseConflicts: true})
	fmt.Println(errors.Is(err, patch.ErrConflict))
	// Output: true
}

// Client-side apply stores the configuration in an annotation, from which the next apply
// determines the fields to remove.
func ExampleWithLastApplied() {
	config := patch.WithLastApplied(value(`{"kind":"ConfigMap","metadata":{"name":"a"}}`))
	last, err := patch.ReadLastApplied(config)
	fmt.Println(last.Get("kind"), err)
	// Output: "ConfigMap" <nil>
}

func ExampleClientApply() {
	kind := builtin("", "v1", "ConfigMap")
	live := patch.WithLastApplied(value(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"old":"1"}}`))
	p, typ, err := patch.ClientApply(live, value(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"new":"2"}}`), kind, patch.ThreeWayOptions{})
	fmt.Println(p.Get("data"), typ, err)
	// Output: {"new":"2","old":null} strategic <nil>
}
