package clients

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/features"
	featuretesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// sent keeps the media types of the bodies that a client sends and gets.
type sent struct {
	http.RoundTripper
	mu       sync.Mutex
	requests []string
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.RoundTripper.RoundTrip(r)
	if err == nil && r.Method != http.MethodGet {
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, kind)
	}
	return resp, err
}

// record gives a config whose requests are kept.
func record(cfg *rest.Config) (*rest.Config, *sent) {
	s := &sent{}
	out := rest.CopyConfig(cfg)
	out.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		s.RoundTripper = rt
		return s
	})
	return out, s
}

// TestTypedClientsSendProtobuf is what a client does whose author said nothing
// of content types: built-in kinds go out as protobuf, and the answer may be JSON.
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
	if slices.ContainsFunc(seen.requests, func(kind string) bool { return kind != "application/vnd.kubernetes.protobuf" }) {
		t.Errorf("bodies went out as %q; the test means protobuf", seen.requests)
	}
}

// TestCBORFallsBackToJSON is a dynamic client that prefers CBOR: told 415, it
// sends JSON from then on.
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
	if want := []string{"application/cbor", "application/json"}; !slices.Equal(seen.requests, want) {
		t.Errorf("bodies went out as %q, want %q", seen.requests, want)
	}
}

// TestOnlyProtobufIsRefused asks for an answer in protobuf and nothing else,
// which kube-apiserver gives and patchlab does not.
func TestOnlyProtobufIsRefused(t *testing.T) {
	if testserver.Foreign() {
		t.Skip("kube-apiserver answers in protobuf")
	}
	cfg := testserver.Start(t)
	cfg.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	_, err := kubernetes.NewForConfigOrDie(cfg).CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsNotAcceptable(err) {
		t.Errorf("got %v, want not acceptable", err)
	}
}
