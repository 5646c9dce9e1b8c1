package clientobject_test

import (
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
