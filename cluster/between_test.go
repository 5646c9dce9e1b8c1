package cluster_test

import (
	"context"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/store"
)

// between is a store that calls a function before or after an operation, to simulate
// concurrent requests.
type between struct {
	store.Store[*cluster.Record]
	created func(key string) // called after a create
	deletes func(key string) // called before a delete
	updates func(key string) // called before an update
}

func (s *between) Update(ctx context.Context, key string, o store.UpdateOptions, change store.UpdateFunc[*cluster.Record]) (store.Item[*cluster.Record], error) {
	if f := s.updates; f != nil {
		s.updates = nil
		f(key)
	}
	return s.Store.Update(ctx, key, o, change)
}

func (s *between) Create(ctx context.Context, key string, value *cluster.Record) (store.Item[*cluster.Record], error) {
	item, err := s.Store.Create(ctx, key, value)
	if f := s.created; f != nil && err == nil {
		s.created = nil
		f(key)
	}
	return item, err
}

func (s *between) Delete(ctx context.Context, key string, o store.DeleteOptions[*cluster.Record]) (store.Item[*cluster.Record], error) {
	if f := s.deletes; f != nil {
		s.deletes = nil
		f(key)
	}
	return s.Store.Delete(ctx, key, o)
}

// A CustomResourceDefinition is activated even if the client has disconnected after it was
// stored.
func TestCRDTakesEffectAfterClientDisconnects(t *testing.T) {
	s := &between{Store: cluster.NewStore()}
	q := newRequests(t, cluster.Config{Store: s})
	ctx, gone := context.WithCancel(context.Background())
	s.created = func(string) { gone() }
	_, _ = q.c.Do(ctx, &cluster.Request{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
		Body: []byte(thingCRD("things", "Thing", simpleSpec, ""))})
	q.must(cluster.List, things, "")
}

// An update that removes the last finalizer does not delete a new object of the same name.
func TestRemovedFinalizerKeepsNewObjectOfSameName(t *testing.T) {
	s := &between{Store: cluster.NewStore()}
	q := newRequests(t, cluster.Config{Store: s})
	const maps = "/api/v1/namespaces/n/configmaps"
	const object = `{"metadata":{"name":"a","finalizers":["x.example.com/f"]}}`
	q.must(cluster.Create, maps, object)
	q.must(cluster.Delete, maps+"/a", "")
	s.deletes = func(string) {
		q.must(cluster.Patch, maps+"/a", `{"metadata":{"finalizers":null}}`, format(cluster.MergePatch))
		q.must(cluster.Create, maps, object)
	}
	q.must(cluster.Patch, maps+"/a", `{"metadata":{"finalizers":null}}`, format(cluster.MergePatch))
	if again := q.must(cluster.Get, maps+"/a", ""); again.Lookup("metadata", "deletionTimestamp").Exists() {
		t.Errorf("the new object is %s", again)
	}
}

// An object that gets a finalizer between the check and the removal is marked as being
// deleted, and kept.
func TestFinalizerAddedBeforeRemovalKeepsObject(t *testing.T) {
	s := &between{Store: cluster.NewStore()}
	q := newRequests(t, cluster.Config{Store: s})
	const maps = "/api/v1/namespaces/n/configmaps"
	q.must(cluster.Create, maps, `{"metadata":{"name":"a"}}`)
	s.deletes = func(string) {
		q.must(cluster.Patch, maps+"/a", `{"metadata":{"finalizers":["x.example.com/f"]}}`, format(cluster.MergePatch))
	}
	q.must(cluster.Delete, maps+"/a", "")
	if left := q.must(cluster.Get, maps+"/a", ""); !left.Lookup("metadata", "deletionTimestamp").Exists() {
		t.Errorf("the object is not marked: %s", left)
	}
}

// An object whose last finalizer is removed between the check of a delete and the write that
// marks it is deleted. Nothing would delete it later.
func TestFinalizerRemovedBeforeMarkDeletesObject(t *testing.T) {
	s := &between{Store: cluster.NewStore()}
	q := newRequests(t, cluster.Config{Store: s})
	const maps = "/api/v1/namespaces/n/configmaps"
	q.must(cluster.Create, maps, `{"metadata":{"name":"a","finalizers":["x.example.com/f"]}}`)
	s.updates = func(string) {
		q.must(cluster.Patch, maps+"/a", `{"metadata":{"finalizers":null}}`, format(cluster.MergePatch))
	}
	q.must(cluster.Delete, maps+"/a", "")
	q.refused(404, cluster.Get, maps+"/a", "")
}

// A namespace that is being deleted remains until spec.finalizers is empty, too.
func TestNamespaceWaitsForSpecFinalizers(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	const ns = "/api/v1/namespaces/n"
	q.must(cluster.Create, "/api/v1/namespaces", `{"metadata":{"name":"n","finalizers":["x.example.com/f"]}}`)
	q.must(cluster.Delete, ns, "")
	q.must(cluster.Patch, ns, `{"metadata":{"finalizers":null}}`, format(cluster.MergePatch))
	left := q.must(cluster.Get, ns, "")
	if got := left.Lookup("spec", "finalizers").String(); got != `["kubernetes"]` || !left.Lookup("metadata", "deletionTimestamp").Exists() {
		t.Errorf("spec.finalizers is %s in %s", got, left)
	}
	q.must(cluster.Update, ns+"/finalize", left.Set(document.NewList(), "spec", "finalizers").String())
	q.refused(404, cluster.Get, ns, "")
}

// An object that gets a finalizer while its definition is being deleted is kept.
func TestFinalizerAddedDuringCRDDeletionKeepsObject(t *testing.T) {
	s := &between{Store: cluster.NewStore()}
	q := newRequests(t, cluster.Config{Store: s})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"one"}}`)
	s.deletes = func(key string) {
		if !strings.HasSuffix(key, "/one") {
			t.Errorf("%s is deleted first", key)
		}
		q.must(cluster.Patch, things+"/one", `{"metadata":{"finalizers":["x.example.com/f"]}}`, format(cluster.MergePatch))
	}
	q.must(cluster.Delete, crds+"/things.x.example.com", "")
	one := q.must(cluster.Get, things+"/one", "")
	if !one.Lookup("metadata", "deletionTimestamp").Exists() {
		t.Errorf("the object is not marked: %s", one)
	}
	q.must(cluster.Patch, things+"/one", `{"metadata":{"finalizers":null}}`, format(cluster.MergePatch))
	q.refused(404, cluster.Get, crds+"/things.x.example.com", "")
}
