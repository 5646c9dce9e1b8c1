package patchlabtest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// TestExtensionAPIServer runs an extension API server beside the server: clients find its resources and reach its objects,
// and a namespace ends only when the server has deleted what is in it.
func TestExtensionAPIServer(t *testing.T) {
	ctx := t.Context()
	var deleted, down atomic.Bool
	extension := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case down.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/apis/ext.example.com/v1":
			_ = json.NewEncoder(w).Encode(metav1.APIResourceList{GroupVersion: "ext.example.com/v1", APIResources: []metav1.APIResource{
				{Name: "things", SingularName: "thing", Kind: "Thing", Namespaced: true, Verbs: []string{"deletecollection", "delete", "get", "list"}}}})
		case r.Method == http.MethodDelete:
			deleted.Store(true)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
		case r.URL.Path == "/apis/ext.example.com/v1/namespaces/lab/things/x":
			_, _ = w.Write([]byte(`{"kind":"Thing","apiVersion":"ext.example.com/v1","metadata":{"name":"x"},"user":"` + r.Header.Get("X-Remote-User") + `"}`))
		case r.URL.Path == "/apis/ext.example.com/v1/namespaces/lab/things":
			_, _ = w.Write([]byte(`{"kind":"ThingList","apiVersion":"ext.example.com/v1","metadata":{},"items":[]}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer extension.Close()
	registration := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": "v1.ext.example.com"},
		"spec": map[string]any{"group": "ext.example.com", "version": "v1", "groupPriorityMinimum": int64(100), "versionPriority": int64(10),
			"insecureSkipTLSVerify": true, "service": map[string]any{"namespace": "lab", "name": "ext"}},
	}}
	s := newServer(t, patchlabtest.Options{
		Service: func(string, string, int32) (*url.URL, error) { return url.Parse(extension.URL) },
		Values:  []any{registration, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "lab"}}},
	})
	client := clientOf(t, s.Config())
	eventually(t, "the resources of the extension API server", func() bool {
		resources, err := client.Discovery().ServerPreferredNamespacedResources()
		return err == nil && len(discovery.FilteredBy(discovery.ResourcePredicateFunc(func(gv string, _ *metav1.APIResource) bool {
			return gv == "ext.example.com/v1"
		}), resources)) == 1
	})
	things := dynamic.NewForConfigOrDie(s.ConfigFor("ada")).Resource(schema.GroupVersionResource{Group: "ext.example.com", Version: "v1", Resource: "things"}).Namespace("lab")
	thing, err := things.Get(ctx, "x", metav1.GetOptions{})
	if err != nil || thing.Object["user"] != "ada" {
		t.Errorf("the object is %v, %v", thing, err)
	}
	config, err := client.CoreV1().ConfigMaps("kube-system").Get(ctx, "extension-apiserver-authentication", metav1.GetOptions{})
	if err != nil || config.Data["requestheader-client-ca-file"] == "" || config.Data["requestheader-allowed-names"] != `["front-proxy-client"]` {
		t.Errorf("the ConfigMap is %v, %v", config, err)
	}
	down.Store(true)
	if _, err := things.Get(ctx, "x", metav1.GetOptions{}); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("from a server that is down: %v", err)
	}
	down.Store(false)
	if err := client.CoreV1().Namespaces().Delete(ctx, "lab", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the namespace", func() bool {
		_, err := client.CoreV1().Namespaces().Get(ctx, "lab", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	if !deleted.Load() {
		t.Error("the objects in the extension API server have not been deleted")
	}
}
