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
		"one":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["z"],"items":{"type":"object","required":["z"],"properties":{"z":{"type":"string"},"n":{"type":"integer"}}}},
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
		{"a key that is an object or a list is in the path", `"one":[{"z":{"b":{"c":["x",1000000,null]}}}]`,
			`.one[z=b=c=["x",1000000,null]].z: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":map[string]interface {}{"c":[]interface {}{"x", 1000000, interface {}(nil)}}}}`},
		{"an empty key object has no text", `"one":[{"z":{}}]`, `.one[z=].z: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}`},
		{"two keys of which both are no strings", `"keyed":[{"z":{"b":"x"},"a":[2]}]`,
			"errors:\n  .keyed[a=[2],z=b=\"x\"].a: expected string, got &value.valueUnstructured{Value:[]interface {}{2}}\n" +
				"  .keyed[a=[2],z=b=\"x\"].z: expected string, got &value.valueUnstructured{Value:map[string]interface {}{\"b\":\"x\"}}"},
		{"a duplicate key that is a list", `"one":[{"z":[]},{"z":[]}]`,
			"errors:\n  .one[z=[]].z: expected string, got &value.valueUnstructured{Value:[]interface {}{}}\n  .one: duplicate entries for key [z=[]]\n" +
				"  .one[z=[]].z: expected string, got &value.valueUnstructured{Value:[]interface {}{}}"},
		{"an integer in a path keeps its digits", `"one":[{"z":9007199254740993}]`, ".one[z=9007199254740993].z: expected string, got &value.valueUnstructured{Value:9007199254740993}"},
		{"a float in a path is printed by Go's rules", `"one":[{"z":1234567.5}]`, ".one[z=1.2345675e+06].z: expected string, got &value.valueUnstructured{Value:1.2345675e+06}"},
		{"an integer beyond int64 is a float", `"one":[{"z":99999999999999999999}]`, ".one[z=1e+20].z: expected string, got &value.valueUnstructured{Value:1e+20}"},
		{"a text in a path is quoted by Go's rules", `"set":["\u0001<\u2028","\u0001<\u2028"]`, `.set: duplicate entries for key [="\x01<\u2028"]`},
		{"the value is that of the duplicate, not of the first item with its key", `"one":[{"z":"b","n":1},{"z":"b","n":"x"},{"z":"b","n":true}]`,
			"errors:\n  .one: duplicate entries for key [z=\"b\"]\n  .one[z=\"b\"].n: expected numeric (int or float), got string\n" +
				"  .one: duplicate entries for key [z=\"b\"]\n  .one[z=\"b\"].n: expected numeric (int or float), got bool"},
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
