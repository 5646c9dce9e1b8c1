package clientobject_test

import (
	"encoding/json"
	"fmt"
	"log"
	"math"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/clientobject"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

func TestUnstructuredRoundTrip(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Thing", "int": int64(1), "float": 1.5, "null": nil, "yes": true,
		"list": []any{"a", map[string]any{"b": int64(2)}}, "empty": map[string]any{}, "none": []any{},
	}}
	v, err := clientobject.Document(u)
	if err != nil {
		t.Fatal(err)
	}
	back, err := clientobject.Unstructured(v)
	if err != nil || !reflect.DeepEqual(u, back) {
		t.Errorf("came back as %v (%v)", back, err)
	}
	var into unstructured.Unstructured
	if err := clientobject.Into(v, &into); err != nil || !reflect.DeepEqual(u, &into) {
		t.Errorf("set to %v (%v)", into, err)
	}
}

// TestUnstructuredIsAsSent checks that the document of an unstructured object is the one that clients
// send: encoding/json decodes every number as a float64, and has no empty list or map for nil.
func TestUnstructuredIsAsSent(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"whole": float64(3), "large": float64(1 << 53), "beyond": 1e19, "exponent": 1e21, "fraction": 2.5, "negative": float64(-7), "zero": math.Copysign(0, -1),
		"list": []any(nil), "map": map[string]any(nil), "in": []any{float64(1), []any(nil)},
	}}
	data, err := json.Marshal(u.Object)
	if err != nil {
		t.Fatal(err)
	}
	want, err := document.Parse(data, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := clientobject.Document(u); err != nil || !document.Identical(got, want.Root) {
		t.Errorf("%s, %v; want %s", got, err, want.Root)
	}
}

// TestUnstructuredInput creates an object whose numbers encoding/json has decoded.
func TestUnstructuredInput(t *testing.T) {
	var u unstructured.Unstructured
	text := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"port":80}]}}`
	if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lab.Create(clientobject.Input{Object: &u}, patchlab.WriteOptions{}); err != nil {
		t.Errorf("a port that is a float64: %v", err)
	}
}

func TestTypedObjectsAreConvertedByJSON(t *testing.T) {
	meta := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Thing"}, ObjectMeta: metav1.ObjectMeta{Name: "x", Labels: map[string]string{"a": "b"}}}
	v, err := clientobject.Document(meta)
	if err != nil || v.Lookup("metadata", "labels", "a").StringOr("") != "b" {
		t.Fatalf("%v (%v)", v, err)
	}
	var back metav1.PartialObjectMetadata
	if err := clientobject.Into(v, &back); err != nil || !reflect.DeepEqual(meta, &back) {
		t.Errorf("came back as %v (%v)", back, err)
	}
}

func TestUnencodableObjectsAreRefused(t *testing.T) {
	spec := func(x any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"at": x}}}
	}
	cyclic := map[string]any{}
	cyclic["self"] = []any{cyclic}
	for _, test := range []struct {
		why    string
		object any
		want   string
	}{
		{"a struct inside an unstructured object", spec(struct{}{}), ".spec.at"},
		{"NaN, which must not become null", spec(math.NaN()), ".spec.at: JSON has no number NaN"},
		{"an infinity", spec([]any{math.Inf(-1)}), ".spec.at[0]: JSON has no number -Inf"},
		{"a map that contains itself", spec(cyclic), "contains itself"},
		{"an unstructured object that is no pointer", *spec(math.NaN()), ".spec.at"},
		{"NaN in another object", map[string]any{"at": math.NaN()}, "NaN"},
		{"a channel", make(chan int), "chan int"},
	} {
		if _, err := clientobject.Document(test.object); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.why, err, test.want)
		}
	}
	if _, err := clientobject.Unstructured(document.NewList()); err == nil {
		t.Error("a list became an object")
	}
}

// TestUnstructuredValues: an unstructured object that is not a pointer is the same object, and not a
// struct with a field named Object.
func TestUnstructuredValues(t *testing.T) {
	u := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Thing"}}
	docs, err := clientobject.Input{Object: u}.Documents()
	if err != nil || len(docs) != 1 || docs[0].Root.Get("kind").StringOr("") != "Thing" {
		t.Errorf("%v, %v, want one Thing", docs, err)
	}
}

func TestIntoNil(t *testing.T) {
	for _, into := range []any{nil, (*unstructured.Unstructured)(nil), (*metav1.Status)(nil), unstructured.Unstructured{}} {
		if err := clientobject.Into(document.NewObject(), into); err == nil {
			t.Errorf("into %#v: no error", into)
		}
	}
}

func TestAbsentDocumentsAreRefused(t *testing.T) {
	var meta metav1.PartialObjectMetadata
	for _, into := range []any{&meta, &unstructured.Unstructured{}} {
		if err := clientobject.Into(document.Value{}, into); err == nil || !strings.HasSuffix(err.Error(), "expected an object, found nothing") {
			t.Errorf("into a %T: %v", into, err)
		}
	}
}

func Example() {
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "1"}}}
	object, err := clientobject.Document(live)
	if err != nil {
		panic(err)
	}
	change, err := document.Parse([]byte(`{"data":{"a":null,"b":"2"}}`), document.Options{})
	if err != nil {
		panic(err)
	}
	after, err := patch.Merge(object, change.Root, patch.Options{})
	if err != nil {
		panic(err)
	}
	if err := clientobject.Into(after, live); err != nil {
		panic(err)
	}
	fmt.Println(live.Object["data"])
	// Output: map[b:2]
}

// A mutating admission webhook answers with the JSON patch between two states of the typed object. If
// it took the request's text for the first one, the patch would also add the fields that Go encodes
// although they are empty, such as status.
func ExampleDocument() {
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}`), &object); err != nil {
		log.Fatal(err)
	}
	before, err := clientobject.Document(&object)
	if err != nil {
		log.Fatal(err)
	}
	object.Labels = map[string]string{"example.com/team": "a"}
	after, err := clientobject.Document(&object)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(patch.CreateJSON(before, after))
	// Output:
	// [{"op":"add","path":"/metadata/labels","value":{"example.com/team":"a"}}]
}
