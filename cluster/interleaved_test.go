package cluster_test

import (
	"context"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/store"
)

// interleaved is a store that runs another write between an operation's read and its write.
type interleaved struct {
	store.Store[*cluster.Record]
	mu sync.Mutex
	// between is called once, before the next call of operation.
	between   func()
	operation string
}

func (s *interleaved) once(operation string) {
	s.mu.Lock()
	var f func()
	if s.between != nil && s.operation == operation {
		f, s.between = s.between, nil
	}
	s.mu.Unlock()
	if f != nil {
		f()
	}
}

// before sets the function to call before the operation.
func (s *interleaved) before(operation string, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.between, s.operation = f, operation
}

func (s *interleaved) Update(ctx context.Context, key string, o store.UpdateOptions, try store.UpdateFunc[*cluster.Record]) (store.Item[*cluster.Record], error) {
	s.once("update")
	return s.Store.Update(ctx, key, o, try)
}

func (s *interleaved) Delete(ctx context.Context, key string, o store.DeleteOptions[*cluster.Record]) (store.Item[*cluster.Record], error) {
	s.once("delete")
	return s.Store.Delete(ctx, key, o)
}

func newInterleaved(t *testing.T) (requests, *interleaved) {
	s := &interleaved{Store: cluster.NewStore()}
	return newRequests(t, cluster.Config{Store: s}), s
}

const keptConfigMap = `{"metadata":{"name":"a","finalizers":["example.com/keep"]}}`

// A finalizer that is added while the object is being deleted keeps it.
func TestFinalizerAddedDuringDeletionKeepsTheObject(t *testing.T) {
	q, s := newInterleaved(t)
	q.must(cluster.Create, maps, `{"metadata":{"name":"a"}}`)
	s.before("delete", func() { q.must(cluster.Update, maps+"/a", keptConfigMap) })
	q.must(cluster.Delete, maps+"/a", "")
	if got := q.must(cluster.Get, maps+"/a", ""); got.Lookup("metadata", "deletionTimestamp").IsNull() || !got.Lookup("metadata", "deletionTimestamp").Exists() {
		t.Errorf("the object is not marked as being deleted: %s", got)
	}
}

// An object whose finalizer is removed while it is being marked is deleted.
func TestFinalizerRemovedDuringDeletionDeletesTheObject(t *testing.T) {
	q, s := newInterleaved(t)
	q.must(cluster.Create, maps, keptConfigMap)
	s.before("update", func() { q.must(cluster.Update, maps+"/a", `{"metadata":{"name":"a"}}`) })
	q.must(cluster.Delete, maps+"/a", "")
	q.refused(404, cluster.Get, maps+"/a", "")
}

// A precondition is compared with the object that is deleted, not with the version read
// before.
func TestPreconditionIsCheckedAgainstDeletedObject(t *testing.T) {
	for name, live := range map[string]string{
		"deleted at once":         `{"metadata":{"name":"a"}}`,
		"marked as being deleted": keptConfigMap,
	} {
		t.Run(name, func(t *testing.T) {
			q, s := newInterleaved(t)
			version := q.must(cluster.Create, maps, live).Lookup("metadata", "resourceVersion").StringOr("")
			operation := "delete"
			if live == keptConfigMap {
				operation = "update"
			}
			s.before(operation, func() {
				q.must(cluster.Patch, maps+"/a", `{"data":{"written":"meanwhile"}}`)
			})
			q.refused(409, cluster.Delete, maps+"/a", "", func(r *cluster.Request) { r.Deletion.ResourceVersion = &version })
			got := q.must(cluster.Get, maps+"/a", "")
			if got.Lookup("metadata", "deletionTimestamp").Exists() || got.Lookup("data", "written").StringOr("") != "meanwhile" {
				t.Errorf("the object was changed: %s", got)
			}
		})
	}
}

// Removing the last finalizer deletes the object that had it, and not a new object of the same
// name.
func TestLastFinalizerDeletesOnlyItsOwnObject(t *testing.T) {
	q, s := newInterleaved(t)
	q.must(cluster.Create, maps, keptConfigMap)
	q.must(cluster.Delete, maps+"/a", "")
	s.before("delete", func() {
		q.must(cluster.Update, maps+"/a", `{"metadata":{"name":"a"}}`) // the same for an update that was read earlier
		q.must(cluster.Create, maps, `{"metadata":{"name":"a"},"data":{"another":"object"}}`)
	})
	q.must(cluster.Update, maps+"/a", `{"metadata":{"name":"a"}}`)
	if got := q.must(cluster.Get, maps+"/a", ""); got.Lookup("data", "another").StringOr("") != "object" {
		t.Errorf("another object was deleted: %s", got)
	}
}

// A repeated finalizer of a namespace is stored once if its deletion adds or removes another one.
func TestDeletionOfNamespaceWithRepeatedFinalizer(t *testing.T) {
	const twice = `["example.com/a","example.com/a"]`
	for _, tc := range []struct{ reason, finalizers, options, want string }{
		{"a finalizer is added: kube-apiserver stores them as a set", twice, `{"propagationPolicy":"Foreground"}`, `["example.com/a","foregroundDeletion"]`},
		{"the same with the older option", twice, `{"orphanDependents":false}`, `["example.com/a","foregroundDeletion"]`},
		{"none is added or removed", twice, `{"propagationPolicy":"Background"}`, twice},
		{"the one to add is there", `["foregroundDeletion"]`, `{"orphanDependents":false}`, `["foregroundDeletion"]`},
	} {
		q := newRequests(t, cluster.Config{})
		q.must(cluster.Create, "/api/v1/namespaces", `{"metadata":{"name":"n","finalizers":`+tc.finalizers+`}}`)
		q.must(cluster.Delete, "/api/v1/namespaces/n", tc.options)
		if got := q.must(cluster.Get, "/api/v1/namespaces/n", "").Lookup("metadata", "finalizers").String(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.reason, got, tc.want)
		}
	}
}

// A namespace that is being deleted also remains until its spec has no finalizers.
func TestNamespaceStaysUntilSpecFinalizersAreRemoved(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, namespaces, `{"metadata":{"name":"n","finalizers":["example.com/keep"]}}`)
	q.must(cluster.Delete, namespaces+"/n", "")
	live := q.must(cluster.Update, namespaces+"/n", `{"metadata":{"name":"n"},"spec":{"finalizers":["kubernetes"]}}`)
	if live.Lookup("metadata", "finalizers").Len() != 0 {
		t.Fatalf("the finalizer is still there: %s", live)
	}
	live = q.must(cluster.Get, namespaces+"/n", "")
	if live.Lookup("status", "phase").StringOr("") != "Terminating" || live.Lookup("spec", "finalizers").Len() != 1 {
		t.Errorf("got %s", live)
	}
	q.must(cluster.Update, namespaces+"/n/finalize", live.Remove("spec", "finalizers").String())
	q.refused(404, cluster.Get, namespaces+"/n", "")
}
