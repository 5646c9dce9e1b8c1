package clients

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestMetadataClient reads the metadata of built-in and custom objects.
func TestMetadataClient(t *testing.T) {
	cfg := testserver.Start(t, crdDir)
	ns := testserver.Namespace(t, cfg)
	ctx := t.Context()
	if _, err := dynamic.NewForConfigOrDie(cfg).Resource(sites).Namespace(ns).Create(ctx, site("one", "x"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := kubernetes.NewForConfigOrDie(cfg).CoreV1().ConfigMaps(ns).Create(ctx, configMap("one", "x"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	md := metadata.NewForConfigOrDie(cfg)
	for _, r := range []schema.GroupVersionResource{sites, configMaps} {
		c := md.Resource(r).Namespace(ns)
		got, err := c.Get(ctx, "one", metav1.GetOptions{})
		if err != nil {
			t.Fatalf("%s: %v", r.Resource, err)
		}
		if got.Name != "one" || got.UID == "" || got.ResourceVersion == "" {
			t.Errorf("%s: got %q with uid %q, version %q", r.Resource, got.Name, got.UID, got.ResourceVersion)
		}
		w, err := c.Watch(ctx, metav1.ListOptions{ResourceVersion: got.ResourceVersion})
		if err != nil {
			t.Fatalf("%s: %v", r.Resource, err)
		}
		patched, err := c.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatalf("%s: %v", r.Resource, err)
		}
		if patched.Annotations["a"] != "b" {
			t.Errorf("%s: annotations after the patch are %v", r.Resource, patched.Annotations)
		}
		list, err := c.List(ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) == 0 {
			t.Errorf("%s: a list of metadata has %d items, %v", r.Resource, len(list.Items), err)
		}
		if err := c.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &got.UID}}); err != nil {
			t.Errorf("%s: %v", r.Resource, err)
		}
		e := <-w.ResultChan()
		if m, ok := e.Object.(*metav1.PartialObjectMetadata); !ok || e.Type != watch.Modified || m.Annotations["a"] != "b" {
			t.Errorf("%s: the first event is %s with %#v", r.Resource, e.Type, e.Object)
		}
		wantEvents(t, w, watch.Deleted)
		w.Stop()
	}
}
