package etcd

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// TestCorruptValueAffectsItsReadersOnly stores values of a ConfigMap that are not objects, before the start of a cluster and
// while it runs: requests that read them fail, and the other objects can be listed, watched and changed.
func TestCorruptValueAffectsItsReadersOnly(t *testing.T) {
	endpoints := etcdtest.Start(t, 1)
	client := etcdtest.Client(t, endpoints)
	put := func(text string) {
		t.Helper()
		if _, err := client.Put(t.Context(), "/patchlab/registry/configmaps/d/bad", text); err != nil {
			t.Fatal(err)
		}
	}
	put("before the start")
	c, err := cluster.New(cluster.Config{Store: etcdtest.Records(t, endpoints, "/patchlab"), Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	do := func(verb cluster.Verb, resource, name, body string) (*cluster.Response, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		r := &cluster.Request{Verb: verb, Version: "v1", Resource: resource, Namespace: "d", Name: name, Body: []byte(body)}
		if verb == cluster.Patch {
			r.Format = cluster.MergePatch
		}
		return c.Do(ctx, r)
	}
	secrets, err := c.Read(t.Context(), &cluster.Request{Verb: cluster.Watch, Version: "v1", Resource: "secrets", Namespace: "d"})
	if err != nil {
		t.Fatalf("a watch of other objects: %v", err)
	}
	t.Cleanup(secrets.Events.Stop)
	for i, text := range []string{"before the start", `{"apiVersion":"v1","kind":"ConfigMap","meta`, "\x00\xff", "", "null", "[]", "7", "{}",
		`{"apiVersion":"v1","kind":"ConfigMap"}`, `{"metadata":{"name":"bad"}}`, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":7}}`} {
		put(text)
		for _, verb := range []cluster.Verb{cluster.Get, cluster.Update, cluster.Patch, cluster.Delete, cluster.List, cluster.DeleteCollection} {
			name, body := "bad", ""
			switch verb {
			case cluster.List, cluster.DeleteCollection:
				name = ""
			case cluster.Update, cluster.Patch:
				body = `{"metadata":{"name":"bad"},"data":{"a":"b"}}`
			}
			_, err := do(verb, "configmaps", name, body)
			var status *cluster.Status
			if !errors.As(err, &status) || status.Code != 500 || !strings.Contains(status.Message, "failed to decode the ") {
				t.Errorf("%q: %s: got %v, want an error for the stored value", text, verb, err)
			}
		}
		name := "s" + string(rune('a'+i))
		if _, err := do(cluster.Create, "secrets", "", `{"metadata":{"name":"`+name+`"}}`); err != nil {
			t.Errorf("%q: creating another object: %v", text, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		e, err := secrets.Events.Next(ctx)
		cancel()
		if err != nil || e.Type != "ADDED" || e.Object.Lookup("metadata", "name").StringOr("") != name {
			t.Fatalf("%q: the watch of other objects has %v %v", text, e, err)
		}
		if list, err := do(cluster.List, "secrets", "", ""); err != nil || len(list.Items()) != i+1 {
			t.Errorf("%q: the list of other objects: %v", text, err)
		}
		if _, err := do(cluster.Create, "configmaps", "", `{"metadata":{"name":"`+name+`"}}`); err != nil {
			t.Errorf("%q: creating another object of the kind: %v", text, err)
		}
	}
	put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad","namespace":"d","uid":"u"}}`)
	if list, err := do(cluster.List, "configmaps", "", ""); err != nil || len(list.Items()) < 2 {
		t.Errorf("after the value has been replaced: %v", err)
	}
}
