package clientobject_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/clientobject"
)

// TestTypedObjectsNeedTheirKind: a typed object read by a client lacks apiVersion and kind
// and must not be treated as an empty object.
func TestTypedObjectsNeedTheirKind(t *testing.T) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, &metav1.PartialObjectMetadata{})
	several := runtime.NewScheme()
	for _, kind := range []string{"ConfigMap", "Secret"} {
		several.AddKnownTypeWithName(schema.GroupVersionKind{Version: "v1", Kind: kind}, &metav1.PartialObjectMetadata{})
	}
	named := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "shop"}}
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := patchlab.Bytes(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "1"}}`)
	for _, c := range []struct {
		why  string
		live clientobject.Input
		want string // of the error; "" for none
	}{
		{"an empty object without a scheme", clientobject.Input{Object: &metav1.PartialObjectMetadata{}}, "has no apiVersion and kind"},
		{"an object without a scheme", clientobject.Input{Object: named}, "has no apiVersion and kind"},
		{"an object with a scheme", clientobject.Input{Object: named, Scheme: scheme}, ""},
		{"an object whose type is not in the scheme", clientobject.Input{Object: &metav1.Status{}, Scheme: scheme}, "no kind is registered"},
		{"an object whose type has several kinds in the scheme", clientobject.Input{Object: named, Scheme: several}, "has 2 kinds in the scheme; set its apiVersion and kind"},
		{"an unstructured object without a kind", clientobject.Input{Object: &unstructured.Unstructured{Object: map[string]any{}}}, "has no apiVersion and kind"},
		{"no object", clientobject.Input{}, ""},
		{"a nil object", clientobject.Input{Object: (*metav1.PartialObjectMetadata)(nil)}, ""},
	} {
		result, err := lab.Apply(c.live, config, patchlab.ApplyOptions{FieldManager: "m"})
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		case err == nil && result.Created() != (c.live.Object == nil || c.live.Scheme == nil):
			t.Errorf("%s: created %v", c.why, result.Created())
		}
	}
}

// A controller predicts what its apply does to an object that its client has read. A typed object
// needs a Scheme in the Input, such as client-go's scheme.Scheme.
func ExampleInput() {
	live := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "settings", "namespace": "shop"},
	}}
	config := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "settings", "namespace": "shop"},
		"data": map[string]any{"level": "info"},
	}}
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		panic(err)
	}
	result, err := lab.Apply(clientobject.Input{Object: live}, clientobject.Input{Object: config}, patchlab.ApplyOptions{FieldManager: "my-controller"})
	if err != nil {
		panic(err)
	}
	for _, change := range result.Changes() {
		fmt.Println(change)
	}
	if err := clientobject.Into(result.Object(), live); err != nil {
		panic(err)
	}
	fmt.Println(live.Object["data"], live.GetManagedFields()[0].Manager)
	// Output:
	// .data.level set: nothing, now "info"; owned by nobody, now by "my-controller"
	// map[level:info] my-controller
}
