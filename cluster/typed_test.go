package cluster_test

import (
	"context"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestListMismatches has the messages of kube-apiserver 1.36.3 for applies with items that do not fit a
// list.
func TestListMismatches(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const item = `{"type":"object","required":["z","a"],"properties":{"z":{"type":"string"},"a":{"type":"string"}}}`
	crd := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"toys.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
		"names":{"plural":"toys","singular":"toy","kind":"Toy","listKind":"ToyList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
		"keyed":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["z","a"],"items":` + item + `},
		"text":{"type":"string"},"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}}]}}`
	if _, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Body: []byte(crd)}); err != nil {
		t.Fatal(err)
	}
	const begin = "failed to create typed patch object (/a; example.com/v1, Kind=Toy): "
	for _, test := range []struct{ why, fields, want string }{
		{"keys are named in the order of the schema", `"keyed":[{}]`,
			`.keyed: element 0: associative list with keys has an element that omits all key fields ["z" "a"] (and doesn't have default values for any key fields)`},
		{"the second of two items is the duplicate, after the mismatch of the first", `"set":[5,5]`,
			"errors:\n  .set[=5]: expected string, got &value.valueUnstructured{Value:5}\n  .set: duplicate entries for key [=5]\n  .set[=5]: expected string, got &value.valueUnstructured{Value:5}"},
		{"a float is printed by Go's rules", `"text":12345678.5`, ".text: expected string, got &value.valueUnstructured{Value:1.23456785e+07}"},
	} {
		_, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: "example.com", Version: "v1", Resource: "toys", Namespace: "d", Name: "a",
			Body:    []byte(`{"apiVersion":"example.com/v1","kind":"Toy","metadata":{"name":"a"},` + test.fields + `}`),
			Options: cluster.Options{FieldManager: "m"}})
		if err == nil || err.Error() != begin+test.want {
			t.Errorf("%s: %v\nwant %s", test.why, err, begin+test.want)
		}
	}
}
