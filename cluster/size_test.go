package cluster

import (
	"context"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/store"
)

// The size of a record that was made from another one is that of its JSON.
func TestSizeAfterChanges(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	send := func(verb Verb, format Format, manager, body string) {
		t.Helper()
		r := Request{Verb: verb, Version: "v1", Resource: "configmaps", Namespace: "default", Format: format, Body: []byte(body)}
		r.FieldManager = manager
		if verb != Create {
			r.Name = "a"
		}
		if _, err := c.Do(context.Background(), &r); err != nil {
			t.Fatal(err)
		}
	}
	check := func() {
		t.Helper()
		page, err := c.store.List(context.Background(), "", store.ListOptions[*Record]{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			r := item.Value
			if got, want := r.Size(), recordOf(r.tree(), document.Value{}).Size(); got != want || want != len(r.Encode()) {
				t.Errorf("%s: %d bytes, want %d, and its JSON has %d", item.Key, got, want, len(r.Encode()))
			}
		}
	}
	send(Create, JSON, "creator", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"1"}},"data":{"a":"1","b":"<>"}}`)
	check()
	send(Patch, MergePatch, "editor", `{"data":{"c":"é\n","a":null},"metadata":{"labels":null}}`)
	check()
	send(Patch, JSONPatch, "other", `[{"op":"replace","path":"/data","value":{"z":"new"}},{"op":"add","path":"/metadata/annotations","value":{"example.com/a":"b"}}]`)
	check()
	send(Patch, ApplyPatch, "applier", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":["example.com/x"]},"data":{"y":"applied"}}`)
	check()
	send(Patch, ApplyPatch, "applier", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	check()
	send(Patch, MergePatch, "editor", `{"metadata":{"managedFields":[{}]}}`)
	check()
	send(Patch, MergePatch, "editor", `{"data":{"c":"again"}}`)
	check()
}
