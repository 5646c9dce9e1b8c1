package clients

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

const crdDir = "testdata/crds"

var sites = schema.GroupVersionResource{Group: "clients.patchlab.example", Version: "v1", Resource: "sites"}

func site(name, message string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": sites.GroupVersion().String(), "kind": "Site",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"app": name}},
		"spec":     map[string]any{"message": message},
	}}
}

// TestDynamicClient uses every verb on a custom resource with the dynamic client.
func TestDynamicClient(t *testing.T) {
	cfg := testserver.Start(t, crdDir)
	ns := testserver.Namespace(t, cfg)
	ctx := t.Context()
	c := dynamic.NewForConfigOrDie(cfg).Resource(sites).Namespace(ns)

	made, err := c.Create(ctx, site("one", "hello"), metav1.CreateOptions{FieldManager: "maker"})
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := unstructured.NestedInt64(made.Object, "spec", "replicas"); n != 1 {
		t.Errorf("created with replicas %d, want the CRD's default 1", n)
	}
	w, err := c.Watch(ctx, metav1.ListOptions{ResourceVersion: made.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()

	_ = unstructured.SetNestedField(made.Object, int64(2), "spec", "replicas")
	updated, err := c.Update(ctx, made, metav1.UpdateOptions{FieldManager: "maker"})
	if err != nil {
		t.Fatal(err)
	}
	if updated.GetGeneration() != 2 {
		t.Errorf("generation %d after a change of spec, want 2", updated.GetGeneration())
	}
	_ = unstructured.SetNestedField(updated.Object, "Ready", "status", "phase")
	if updated, err = c.UpdateStatus(ctx, updated, metav1.UpdateOptions{FieldManager: "controller"}); err != nil {
		t.Fatal(err)
	}
	if updated.GetGeneration() != 2 {
		t.Errorf("generation %d after a change of status, want still 2", updated.GetGeneration())
	}
	if _, err := c.Update(ctx, made, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v, want a conflict", err)
	}
	_, err = c.Apply(ctx, "one", site("one", "other"), metav1.ApplyOptions{FieldManager: "applier"})
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "maker"`) {
		t.Errorf("applying over another manager: %v", err)
	}
	if _, err := c.Apply(ctx, "one", site("one", "other"), metav1.ApplyOptions{FieldManager: "applier", Force: true}); err != nil {
		t.Error(err)
	}
	if _, err := c.Patch(ctx, "one", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{}); !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("a strategic merge patch of a custom resource: %v, want unsupported media type", err)
	}
	if err := c.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=one"}); err != nil {
		t.Error(err)
	}
	if _, err := c.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after deletion: %v, want not found", err)
	}
	wantEvents(t, w, watch.Modified, watch.Modified, watch.Modified, watch.Deleted)
}

func wantEvents(t *testing.T, w watch.Interface, want ...watch.EventType) {
	t.Helper()
	for i, x := range want {
		e, ok := <-w.ResultChan()
		if !ok {
			t.Fatalf("the watch ended before event %d, %s", i, x)
		}
		if e.Type != x {
			t.Errorf("event %d is %s, want %s", i, e.Type, x)
		}
	}
}
