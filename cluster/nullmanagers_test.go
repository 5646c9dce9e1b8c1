package cluster_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestNullManagers has the changes that kube-apiserver 1.36.3 makes for applies whose configuration has null in place
// of managedFields: the null is not stored, so that the writes that follow change nothing, but it counts as a
// change of the object when the entry of the manager gets its time.
func TestNullManagers(t *testing.T) {
	const crd = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"toys.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
		"names":{"plural":"toys","singular":"toy","kind":"Toy","listKind":"ToyList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
		"data":{"type":"object","properties":{"a":{"type":"string"}}}}}}}]}}`
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	if _, err := c.Do(ctx, &cluster.Request{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Body: []byte(crd)}); err != nil {
		t.Fatal(err)
	}
	kinds := []struct{ kind, group, version, resource string }{{"Toy", "example.com", "v1", "toys"}, {"ConfigMap", "", "v1", "configmaps"}}
	type write struct{ manager, metadata, text string } // a metadata of "" is a merge patch
	const plain, null = `{"name":"x"}`, `{"name":"x","managedFields":null}`
	for i, test := range []struct {
		why    string
		writes []write
		// changes are the numbers of changes after each write, and times whether the entries of the last object have a time.
		changes, times string
	}{
		{"patches of the same value after an apply with null", []write{{"a", plain, "1"}, {"b", null, "1"}, {"c", "", "1"}, {"c", "", "1"}}, "1 2 2 2", "true true"},
		{"without null, only owners change, so that the new entry has no time", []write{{"a", plain, "1"}, {"b", plain, "1"}, {"c", "", "1"}}, "1 2 2", "false true"},
		{"the object is created with null", []write{{"a", null, "1"}, {"c", "", "1"}, {"a", plain, "1"}}, "1 1 1", "true"},
		{"null again", []write{{"a", null, "1"}, {"a", null, "1"}, {"a", null, "1"}}, "1 1 1", "true"},
		{"null with a change", []write{{"a", plain, "1"}, {"a", null, "2"}, {"c", "", "2"}}, "1 2 2", "true"},
	} {
		for _, kind := range kinds {
			apiVersion := strings.TrimPrefix(kind.group+"/"+kind.version, "/")
			first, changes, times := int64(0), []string(nil), []string(nil)
			for _, w := range test.writes {
				r := &cluster.Request{Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: kind.group, Version: kind.version, Resource: kind.resource,
					Namespace: "n" + strconv.Itoa(i), Name: "x", Options: cluster.Options{FieldManager: w.manager},
					Body: []byte(`{"apiVersion":"` + apiVersion + `","kind":"` + kind.kind + `","metadata":` + w.metadata + `,"data":{"a":"` + w.text + `"}}`)}
				if w.metadata == "" {
					r.Format, r.Body = cluster.MergePatch, []byte(`{"data":{"a":"`+w.text+`"}}`)
				}
				answer, err := c.Do(ctx, r)
				if err != nil {
					t.Fatalf("%s: %v", test.why, err)
				}
				metadata := answer.Object.Get("metadata")
				revision, err := strconv.ParseInt(metadata.Get("resourceVersion").StringOr(""), 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				if first == 0 {
					first = revision - 1
				}
				changes, times = append(changes, strconv.FormatInt(revision-first, 10)), nil
				for _, entry := range metadata.Get("managedFields").Items() {
					times = append(times, strconv.FormatBool(entry.Get("time").Exists()))
				}
			}
			if got := strings.Join(changes, " "); got != test.changes {
				t.Errorf("%s, %s: %s, want %s", test.why, kind.kind, got, test.changes)
			}
			if got := strings.Join(times, " "); got != test.times {
				t.Errorf("%s, %s: times %s, want %s", test.why, kind.kind, got, test.times)
			}
		}
	}
}
