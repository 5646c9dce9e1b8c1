package cluster

import (
	"context"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// TestNewObjectsAreText checks which new objects are held as text, and which requests need a tree.
func TestNewObjectsAreText(t *testing.T) {
	const small = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"app":"web"}},"data":{"k":"v"}}`
	long := strings.Replace(small, `"v"`, `"`+strings.Repeat("v", mostCompactBytes)+`"`, 1)
	get := Request{Verb: Get, Name: "a"}
	for _, c := range []struct {
		why, body string
		then      []Request
		tree      bool
	}{
		{"a new object", small, nil, false},
		{"a new object above the limit", long, nil, true},
		{"a get is answered with the text", small, []Request{get}, false},
		{"a list is too", small, []Request{{Verb: List}}, false},
		{"a label selector needs only the labels", small, []Request{{Verb: List, Options: Options{LabelSelector: "app=web"}}}, false},
		{"a field selector needs the object", small, []Request{{Verb: List, Options: Options{FieldSelector: "metadata.name!=b"}}}, true},
		{"a patch that changes nothing needs the object", small, []Request{{Verb: Patch, Name: "a", Format: MergePatch, Body: []byte(`{"data":{"k":"v"}}`)}}, true},
		{"a patch stores a tree", small, []Request{{Verb: Patch, Name: "a", Format: MergePatch, Body: []byte(`{"data":{"k":"w"}}`)}}, true},
	} {
		cl, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer cl.Close()
		for _, r := range append([]Request{{Verb: Create, Body: []byte(c.body)}}, c.then...) {
			r.Version, r.Resource, r.Namespace = "v1", "configmaps", "default"
			if r.Verb == Get || r.Verb == List {
				reading, err := cl.Read(context.Background(), &r)
				if err != nil {
					t.Fatalf("%s: %v", c.why, err)
				}
				shown := append(reading.Items, reading.Object)[0]
				if text := strings.Join(shown.JSON(), ""); !strings.Contains(text, `"data":{"k":"v"}`) {
					t.Errorf("%s: answers %s", c.why, text)
				}
			} else if _, err := cl.Do(context.Background(), &r); err != nil {
				t.Fatalf("%s: %v", c.why, err)
			}
		}
		item, err := cl.store.Get(context.Background(), "/registry/configmaps/default/a", store.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := item.Value.object.Load() != nil; got != c.tree {
			t.Errorf("%s: held as a tree: %v, want %v", c.why, got, c.tree)
		}
	}
}
