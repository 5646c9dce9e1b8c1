package controllers

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// fakeExtensions are extension API servers that report one result after the other, the last one again and again.
type fakeExtensions struct {
	mu      sync.Mutex
	results []Left
	calls   int
	// hold delays the first result.
	hold chan struct{}
}

func (*fakeExtensions) Any() bool { return true }

func (*fakeExtensions) Serves(group, _ string) bool { return group == "apps" }

func (f *fakeExtensions) DeleteAll(_ context.Context, namespace string) Left {
	if f.hold != nil {
		<-f.hold
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if namespace != "lab" {
		return Left{}
	}
	f.calls++
	left := f.results[0]
	if len(f.results) > 1 {
		f.results = f.results[1:]
	}
	return left
}

// TestNamespaceWaitsForExtensions: a namespace ends when its objects in extension API servers are gone and all resources are
// known. Until then its conditions show what is missing, as kube-controller-manager 1.36.3 writes them.
func TestNamespaceWaitsForExtensions(t *testing.T) {
	f := &fakeExtensions{hold: make(chan struct{})}
	steps := []struct {
		left       Left
		conditions []string
	}{
		{Left{Undiscovered: []string{"b.example.com/v1", "a.example.com/v1"}, Failed: []error{errors.New("no")}}, []string{
			"NamespaceDeletionDiscoveryFailure True DiscoveryFailed Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: " +
				"a.example.com/v1: stale GroupVersion discovery: a.example.com/v1, b.example.com/v1: stale GroupVersion discovery: b.example.com/v1",
			"NamespaceDeletionContentFailure True ContentDeletionFailed Failed to delete all resource types, 1 remaining: no",
			"NamespaceContentRemaining False ContentRemoved All content successfully removed",
		}},
		{Left{Resources: map[string]int{"things.a.example.com": 2}, Finalizers: map[string]int{"example.com/x": 1}}, []string{
			"NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered",
			"NamespaceDeletionContentFailure False ContentDeleted All content successfully deleted, may be waiting on finalization",
			"NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: things.a.example.com has 2 resource instances",
			"NamespaceFinalizersRemaining True SomeFinalizersRemain Some content in the namespace has finalizers remaining: example.com/x in 1 resource instances",
		}},
	}
	f.results = []Left{steps[0].left}
	l := newLab(t, Options{Namespaces: true, Extensions: f})
	l.send(cluster.Create, "namespaces", "", "", `{"metadata":{"name":"lab"}}`)
	l.send(cluster.Create, "namespaces", "", "", `{"metadata":{"name":"other"}}`)
	l.send(cluster.Create, "configmaps", "lab", "", `{"metadata":{"name":"a"}}`)
	l.send(cluster.Delete, "namespaces", "", "lab", "")
	l.awaitEnd("configmaps", "lab", "a")
	if conditions := l.conditions("lab"); len(conditions) > 0 {
		t.Errorf("before the extension API servers have answered: %v", conditions)
	}
	close(f.hold)
	for _, step := range steps {
		f.mu.Lock()
		f.results = []Left{step.left}
		f.mu.Unlock()
		l.until(step.conditions[0], func() (string, bool) {
			all := strings.Join(l.conditions("lab"), "\n")
			for _, want := range step.conditions {
				if !strings.Contains(all, want) {
					return all, false
				}
			}
			return all, true
		})
	}
	l.send(cluster.Delete, "namespaces", "", "other", "")
	l.awaitEnd("namespaces", "", "other")
	f.mu.Lock()
	f.results = []Left{{}}
	f.mu.Unlock()
	l.awaitEnd("namespaces", "", "lab")
}

// TestOwnersInExtensions: an object whose owner is of a version that an extension API server serves is kept, because it is not
// known whether the owner exists.
func TestOwnersInExtensions(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true, Extensions: &fakeExtensions{results: []Left{{}}}})
	for name, owner := range map[string]string{"kept": "apps/v1", "gone": "batch/v1"} {
		kind := map[string]string{"apps/v1": "Deployment", "batch/v1": "Job"}[owner]
		l.send(cluster.Create, "configmaps", "lab", "", `{"metadata":{"name":"`+name+`","ownerReferences":[{"apiVersion":"`+owner+`","kind":"`+kind+`","name":"x","uid":"1"}]}}`)
	}
	l.awaitEnd("configmaps", "lab", "gone")
	if _, status := l.do(&cluster.Request{Version: "v1", Resource: "configmaps", Namespace: "lab", Name: "kept"}); status != nil {
		t.Error("the object with an owner in an extension API server is deleted")
	}
}

// send sends a request of the core group, which must succeed.
func (l *lab) send(verb cluster.Verb, resource, namespace, name, body string) {
	l.t.Helper()
	if _, status := l.do(&cluster.Request{Verb: verb, Version: "v1", Resource: resource, Namespace: namespace, Name: name, Body: []byte(body)}); status != nil {
		l.t.Fatal(status)
	}
}

// awaitEnd waits until an object does not exist.
func (l *lab) awaitEnd(resource, namespace, name string) {
	l.t.Helper()
	l.until("no "+resource+" "+name, func() (string, bool) {
		object, status := l.do(&cluster.Request{Version: "v1", Resource: resource, Namespace: namespace, Name: name})
		return object.String(), status != nil && status.Code == 404
	})
}

// conditions returns the conditions of a namespace as "TYPE STATUS REASON MESSAGE".
func (l *lab) conditions(namespace string) []string {
	got, _ := l.do(&cluster.Request{Version: "v1", Resource: "namespaces", Name: namespace})
	var out []string
	for _, c := range got.Lookup("status", "conditions").Items() {
		var parts []string
		for _, key := range [...]string{"type", "status", "reason", "message"} {
			parts = append(parts, c.Get(key).StringOr(""))
		}
		out = append(out, strings.Join(parts, " "))
	}
	return out
}
