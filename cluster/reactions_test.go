//go:build !js

package cluster

import (
	"context"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestOnChange counts the calls after each kind of write, also by deletions and through a subresource. The request that
// the reaction makes itself is not counted.
func TestOnChange(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	c.OnChange("", []string{"nodes", "configmaps"}, func(ctx context.Context) {
		calls++
		_, err := c.Do(ctx, &Request{Verb: Patch, Version: "v1", Resource: "nodes", Name: "counted", Format: ApplyPatch, Options: Options{FieldManager: "m", Force: new(true)},
			Body: []byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"counted"}}`)})
		if err != nil {
			t.Error(err)
		}
	})
	for i, r := range []*Request{
		{Verb: Create, Resource: "nodes", Body: []byte(`{"metadata":{"name":"a"}}`)},
		{Verb: Patch, Resource: "nodes", Name: "a", Format: MergePatch, Body: []byte(`{"metadata":{"labels":{"a":"b"}}}`)},
		{Verb: Patch, Resource: "nodes", Name: "a", Subresource: "status", Format: MergePatch, Body: []byte(`{"status":{"phase":"Running"}}`)},
		{Verb: Create, Resource: "configmaps", Namespace: "d", Body: []byte(`{"metadata":{"name":"a","finalizers":["a.b/c"]}}`)},
		{Verb: Delete, Resource: "configmaps", Namespace: "d", Name: "a"},
		{Verb: Patch, Resource: "configmaps", Namespace: "d", Name: "a", Format: MergePatch, Body: []byte(`{"metadata":{"finalizers":null}}`)},
		{Verb: DeleteCollection, Resource: "nodes", Options: Options{FieldSelector: "metadata.name=a"}},
	} {
		r.Version = "v1"
		if _, err := c.Do(t.Context(), r); err != nil || calls != i+1 {
			t.Errorf("request %d: %v, and %d calls", i, err, calls)
		}
	}
	for _, r := range []*Request{
		{Verb: Create, Resource: "secrets", Namespace: "d", Body: []byte(`{"metadata":{"name":"a"}}`)},
		{Verb: Create, Resource: "nodes", Options: Options{DryRun: []string{"All"}}, Body: []byte(`{"metadata":{"name":"a"}}`)},
		{Verb: List, Resource: "nodes"},
	} {
		r.Version = "v1"
		if _, err := c.Do(t.Context(), r); err != nil || calls != 7 {
			t.Errorf("%s %s: %v, and %d calls", r.Verb, r.Resource, err, calls)
		}
	}
}

// TestCompute reads objects that are not stored, through Do.
func TestCompute(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	c.Compute("", "componentstatuses", func(_ context.Context, name string) (objects []document.Value) {
		for _, n := range []string{"a", "b"} {
			if name == "" || name == n {
				d, err := document.Parse([]byte(`{"apiVersion":"v1","kind":"ComponentStatus","metadata":{"name":"`+n+`"}}`), document.Options{})
				if err != nil {
					t.Fatal(err)
				}
				objects = append(objects, d.Root)
			}
		}
		return objects
	})
	for name, want := range map[string]string{
		"":  `{"apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],"kind":"ComponentStatusList","metadata":{}}`,
		"b": `{"apiVersion":"v1","kind":"ComponentStatus","metadata":{"name":"b"}}`,
	} {
		r := &Request{Verb: Get, Version: "v1", Resource: "componentstatuses", Name: name}
		if name == "" {
			r.Verb = List
		}
		if got, err := c.Do(t.Context(), r); err != nil || got.Object.String() != want {
			t.Errorf("%q: %v %v", name, got, err)
		}
	}
}
