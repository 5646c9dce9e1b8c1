package clients

import (
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestScaleClient scales through the scale subresource, with the resource from
// discovery.
func TestScaleClient(t *testing.T) {
	cfg := testserver.Start(t, crdDir)
	ns := testserver.Namespace(t, cfg)
	ctx := t.Context()
	if _, err := dynamic.NewForConfigOrDie(cfg).Resource(sites).Namespace(ns).Create(ctx, site("one", "x"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := kubernetes.NewForConfigOrDie(cfg).AppsV1().Deployments(ns).Create(ctx, deployment("one", 1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	disco := discovery.NewDiscoveryClientForConfigOrDie(cfg)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco))
	scales, err := scale.NewForConfig(rest.CopyConfig(cfg), mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(disco))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []schema.GroupVersionResource{sites, {Group: "apps", Version: "v1", Resource: "deployments"}} {
		c := scales.Scales(ns)
		s, err := c.Get(ctx, r.GroupResource(), "one", metav1.GetOptions{})
		if err != nil {
			t.Fatalf("%s: %v", r.Resource, err)
		}
		if s.Spec.Replicas != 1 {
			t.Errorf("%s: scale has %d replicas, want 1", r.Resource, s.Spec.Replicas)
		}
		old := s.DeepCopy()
		s.Spec.Replicas = 3
		if s, err = c.Update(ctx, r.GroupResource(), s, metav1.UpdateOptions{}); err != nil {
			t.Fatalf("%s: %v", r.Resource, err)
		}
		if s.Spec.Replicas != 3 {
			t.Errorf("%s: updated to %d replicas, want 3", r.Resource, s.Spec.Replicas)
		}
		if _, err := c.Update(ctx, r.GroupResource(), old, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Errorf("%s: scaling an old version: %v, want a conflict", r.Resource, err)
		}
		s, err = c.Patch(ctx, r, "one", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatalf("%s: %v", r.Resource, err)
		}
		if s.Spec.Replicas != 5 {
			t.Errorf("%s: patched to %d replicas, want 5", r.Resource, s.Spec.Replicas)
		}
	}
	typed, err := kubernetes.NewForConfigOrDie(cfg).AppsV1().Deployments(ns).UpdateScale(ctx, "one", &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: ns}, Spec: autoscalingv1.ScaleSpec{Replicas: 7},
	}, metav1.UpdateOptions{})
	if err != nil || typed.Spec.Replicas != 7 {
		t.Errorf("the typed client scaled to %v, %v", typed, err)
	}
}
