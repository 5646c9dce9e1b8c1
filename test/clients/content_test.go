package clients

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/features"
	featuretesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// recorder records the media types of a client's writes and of all responses.
type recorder struct {
	http.RoundTripper
	mu               sync.Mutex
	writes, received []string
}

func (s *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.RoundTripper.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	mediaType := func(h http.Header) string {
		kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
		return kind
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method != http.MethodGet {
		s.writes = append(s.writes, mediaType(r.Header))
	}
	s.received = append(s.received, mediaType(resp.Header))
	return resp, nil
}

// record returns a config whose requests are recorded.
func record(cfg *rest.Config) (*rest.Config, *recorder) {
	s := &recorder{}
	out := rest.CopyConfig(cfg)
	out.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		s.RoundTripper = rt
		return s
	})
	return out, s
}

// allProtobuf reports whether there are media types, and all are protobuf.
func allProtobuf(mediaTypes []string) bool {
	return len(mediaTypes) > 0 && !slices.ContainsFunc(mediaTypes, func(kind string) bool { return kind != protobuf })
}

// TestTypedClientsSendProtobuf uses a client without configured content types: it sends
// built-in kinds in protobuf, and accepts JSON in the response.
func TestTypedClientsSendProtobuf(t *testing.T) {
	base := testserver.Start(t)
	ns := testserver.Namespace(t, base)
	cfg, seen := record(base)
	c := kubernetes.NewForConfigOrDie(cfg).AppsV1().Deployments(ns)
	made, err := c.Create(t.Context(), deployment("web", 0), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if made.Spec.Replicas == nil || *made.Spec.Replicas != 0 {
		t.Errorf("created with 0 replicas, got %v: a zero behind a pointer was lost", made.Spec.Replicas)
	}
	made.Labels = map[string]string{"a": "b"}
	if made, err = c.Update(t.Context(), made, metav1.UpdateOptions{}); err != nil || made.Labels["a"] != "b" {
		t.Errorf("updated: %v, %v", made, err)
	}
	uid := made.UID
	if err := c.Delete(t.Context(), "web", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}); err != nil {
		t.Error(err)
	}
	if !allProtobuf(seen.writes) {
		t.Errorf("bodies were sent as %q, want protobuf", seen.writes)
	}
}

// TestCBORFallsBackToJSON uses a dynamic client that prefers CBOR. The server must
// respond with 415 (Unsupported Media Type), after which client-go sends JSON.
func TestCBORFallsBackToJSON(t *testing.T) {
	base := testserver.Start(t)
	ns := testserver.Namespace(t, base)
	featuretesting.SetFeatureDuringTest(t, features.ClientsAllowCBOR, true)
	featuretesting.SetFeatureDuringTest(t, features.ClientsPreferCBOR, true)
	cfg, seen := record(base)
	c := dynamic.NewForConfigOrDie(cfg).Resource(configMaps).Namespace(ns)
	obj := site("cm", "")
	obj.Object = map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "cm"}}
	if _, err := c.Create(t.Context(), obj, metav1.CreateOptions{}); !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("the first body in CBOR: %v, want unsupported media type", err)
	}
	if _, err := c.Create(t.Context(), obj, metav1.CreateOptions{}); err != nil {
		t.Errorf("the next body: %v", err)
	}
	if want := []string{"application/cbor", "application/json"}; !slices.Equal(seen.writes, want) {
		t.Errorf("bodies were sent as %q, want %q", seen.writes, want)
	}
}

// TestAnswersInProtobuf requests objects, lists, watch events, metadata and errors, and
// accepts only protobuf.
func TestAnswersInProtobuf(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	cfg.AcceptContentTypes = protobuf
	cfg, got := record(cfg)
	typed := kubernetes.NewForConfigOrDie(cfg)
	c := typed.AppsV1().Deployments(ns)
	made, err := c.Create(t.Context(), deployment("web", 3), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := c.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil || !equality.Semantic.DeepEqual(read, made) {
		t.Errorf("read %+v, %v; want %+v", read, err, made)
	}
	if read.ResourceVersion == "" || *read.Spec.Replicas != 3 || len(read.ManagedFields) != 1 || read.CreationTimestamp.IsZero() {
		t.Errorf("read %+v", read)
	}
	list, err := c.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || !equality.Semantic.DeepEqual(&list.Items[0], made) || list.ResourceVersion == "" {
		t.Errorf("listed %+v, %v", list, err)
	}
	w, err := c.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	made.Labels = map[string]string{"a": "b"}
	if made, err = c.Update(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	event := <-w.ResultChan()
	if changed, ok := event.Object.(*appsv1.Deployment); !ok || event.Type != watch.Modified || !equality.Semantic.DeepEqual(changed, made) {
		t.Errorf("watched %s %+v", event.Type, event.Object)
	}
	w.Stop()
	if _, err := c.Get(t.Context(), "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `deployments.apps "none" not found`) {
		t.Errorf("a missing object: %v", err)
	}
	if err := c.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Errorf("deleting: %v", err)
	}
	if !allProtobuf(got.received) {
		t.Errorf("responses have media types %q", got.received)
	}
}

// TestMetadataInProtobuf reads and watches the metadata of built-in and custom
// resources with client-go's metadata client, which prefers protobuf.
func TestMetadataInProtobuf(t *testing.T) {
	cfg := testserver.Start(t, crdDir)
	ns := testserver.Namespace(t, cfg)
	custom := dynamic.NewForConfigOrDie(cfg).Resource(sites).Namespace(ns)
	if _, err := custom.Create(t.Context(), site("a", "x"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	recorded, got := record(cfg)
	c := metadata.NewForConfigOrDie(metadata.ConfigFor(recorded)).Resource(sites).Namespace(ns)
	o, err := c.Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || o.Name != "a" || o.UID == "" || o.ResourceVersion == "" {
		t.Errorf("read %+v, %v", o, err)
	}
	list, err := c.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].UID != o.UID || list.Items[0].ResourceVersion != o.ResourceVersion {
		t.Fatalf("listed %+v, %v", list, err)
	}
	w, err := c.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	event := <-w.ResultChan()
	if o, ok := event.Object.(*metav1.PartialObjectMetadata); !ok || event.Type != watch.Added || o.UID != list.Items[0].UID {
		t.Errorf("watched %s %+v", event.Type, event.Object)
	}
	if !allProtobuf(got.received) {
		t.Errorf("responses have media types %q", got.received)
	}
}
