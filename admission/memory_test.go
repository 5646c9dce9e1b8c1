package admission_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestDeletedDefinitionsAreNotKept creates and deletes definitions with rules, as a suite of tests does
// that runs against one server, and checks that their kinds are not kept in memory once the history of
// the store does not have their objects any more.
func TestDeletedDefinitionsAreNotKept(t *testing.T) {
	history := cluster.NewStore()
	config := cluster.Config{Store: history}
	if err := admission.Configure(&config, admission.Options{}); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	kinds := make([]weak.Pointer[schema.Kind], 20)
	for n := range kinds {
		name := fmt.Sprintf("things%d", n)
		definition := fmt.Sprintf(`{"metadata":{"name":"%[1]s.example.com"},"spec":{"group":"example.com","scope":"Cluster",
			"names":{"plural":"%[1]s","kind":"Thing%[2]d"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
			{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}}}}}]}}`, name, n)
		for _, r := range []cluster.Request{
			{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Body: []byte(definition)},
			{Verb: cluster.Create, Group: "example.com", Version: "v1", Resource: name, Body: fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Thing%d","metadata":{"name":"a"},"spec":{}}`, n)},
			{Verb: cluster.Delete, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: name + ".example.com"},
		} {
			if _, err := c.Do(t.Context(), &r); err != nil {
				t.Fatal(err)
			}
			if kind, ok := c.Kinds().Resource("example.com", "v1", name); ok {
				kinds[n] = weak.Make(kind)
			}
		}
	}
	if _, err := create(c, "", "v1", "namespaces", "", `{"metadata":{"name":"a"}}`); err != nil {
		t.Fatal(err)
	}
	now, err := history.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := history.Compact(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	alive := func() (n int) {
		runtime.GC()
		for _, k := range kinds {
			if k.Value() != nil {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(10 * time.Second); alive() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the kinds of %d of %d deleted definitions are kept", alive(), len(kinds))
		}
	}
	runtime.KeepAlive(c)
}
