package patchlabtest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func TestStartServesCRDs(t *testing.T) {
	c := dynamic.NewForConfigOrDie(patchlabtest.Start(t, "testdata/crds")).Resource(widgets).Namespace("default")
	made, err := c.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": "w"}, "spec": map[string]any{},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := unstructured.NestedInt64(made.Object, "spec", "size"); n != 1 {
		t.Errorf("size is %d, want the CRD's default 1", n)
	}
}

func TestServersAreIndependent(t *testing.T) {
	one := kubernetes.NewForConfigOrDie(patchlabtest.Start(t)).CoreV1().ConfigMaps("default")
	two := kubernetes.NewForConfigOrDie(patchlabtest.Start(t)).CoreV1().ConfigMaps("default")
	if _, err := one.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "cm"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Get(t.Context(), "cm", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("an object of the first server, asked of the second: %v, want not found", err)
	}
}

// TestStopEndsWatches checks that stopping a server ends its open watches and that Stop
// returns.
func TestStopEndsWatches(t *testing.T) {
	s, err := patchlabtest.New(patchlabtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	for range w.ResultChan() {
		continue
	}
	if err := s.Stop(); err != nil {
		t.Errorf("stopping again: %v", err)
	}
}

func TestObjectsAreCreatedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	// A dump of a cluster has the objects of every cluster.
	write(t, filepath.Join(dir, "a.yaml"), "apiVersion: v1\nkind: Service\nmetadata: {name: kubernetes, namespace: default}\nspec: {clusterIP: 10.0.0.1, ports: [{port: 443}]}\n")
	write(t, filepath.Join(dir, "b.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: other}\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n")
	s, err := patchlabtest.New(patchlabtest.Options{CRDs: []string{"testdata/crds"}, Objects: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	if _, err := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("other").Get(t.Context(), "b", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := dynamic.NewForConfigOrDie(s.Config()).Resource(widgets).Namespace("default").Get(t.Context(), "w", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

func TestNewErrors(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	broken, unknown := filepath.Join(dir, "broken.yaml"), filepath.Join(dir, "unknown.yaml")
	write(t, broken, "kind: [")
	twice := filepath.Join(dir, "twice.yaml")
	write(t, twice, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	write(t, unknown, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n")
	cases := []struct {
		why     string
		options patchlabtest.Options
		want    string
	}{
		{"a folder that does not exist", patchlabtest.Options{CRDs: []string{"nowhere"}}, "nowhere"},
		{"a folder without manifests", patchlabtest.Options{CRDs: []string{empty}}, "no .yaml"},
		{"a file that is not YAML", patchlabtest.Options{CRDs: []string{broken}}, "broken.yaml"},
		{"an object whose CRD is missing", patchlabtest.Options{Objects: []string{unknown}}, `unknown.yaml:1:1: no kind "Widget"`},
		{"an object twice", patchlabtest.Options{Objects: []string{twice}}, `twice.yaml:5:1: configmaps "a" already exists`},
		{"a handler that is nil", patchlabtest.Options{Wrap: func(http.Handler) http.Handler { return nil }}, "Options.Wrap returned nil"},
		{"a clock that has not been set", patchlabtest.Options{Now: (&patchlabtest.Clock{}).Now}, "Options.Now returned the zero time"},
		{"an unknown version", patchlabtest.Options{Version: "1.2"}, "1.2"},
	}
	for _, k := range cases {
		s, err := patchlabtest.New(k.options)
		if err == nil {
			s.Stop()
			t.Errorf("%s: no error", k.why)
		} else if !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %q does not name %q", k.why, err, k.want)
		}
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestControllersRun checks that deleted namespaces are finalized and that the
// dependents of deleted objects are garbage collected.
func TestControllersRun(t *testing.T) {
	c := kubernetes.NewForConfigOrDie(patchlabtest.Start(t))
	ctx := t.Context()
	if _, err := c.CoreV1().Services("default").Get(ctx, "kubernetes", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "lab"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	owner, err := c.CoreV1().ConfigMaps("lab").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.CoreV1().Secrets("lab").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "owned", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID},
	}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gone := func(what string, get func() error) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
			err := get()
			if apierrors.IsNotFound(err) {
				return
			}
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("%s is still there: %v", what, err)
			}
		}
	}
	if err := c.CoreV1().ConfigMaps("lab").Delete(ctx, "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	gone("the dependent", func() error {
		_, err := c.CoreV1().Secrets("lab").Get(ctx, "owned", metav1.GetOptions{})
		return err
	})
	if err := c.CoreV1().Namespaces().Delete(ctx, "lab", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	gone("the namespace", func() error {
		_, err := c.CoreV1().Namespaces().Get(ctx, "lab", metav1.GetOptions{})
		return err
	})
}
