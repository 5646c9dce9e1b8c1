package patchlabtest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/patchlabtest"
	"github.com/patchlab-dev/patchlab/plugins"
)

// Options.Values holds objects as Go values, typed or unstructured, including
// CustomResourceDefinitions. Now and Seed make the server reproducible.
func ExampleOptions_values() {
	s, err := patchlabtest.New(patchlabtest.Options{
		Values: []any{
			&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "Gauge",
				"metadata": map[string]any{"name": "g", "namespace": "default"}, "spec": map[string]any{"limit": int64(3)},
			}},
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "default"}, Data: map[string]string{"level": "info"}},
			gaugeCRD(),
		},
		Now:  func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) },
		Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	c := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default")
	made, err := c.Get(context.Background(), "settings", metav1.GetOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(made.Data["level"], made.CreationTimestamp.UTC())
	// Output: info 2026-05-01 12:00:00 +0000 UTC
}

// A server that continues with the objects of another one, as after a restart, is given its lists.
func ExampleOptions_restart() {
	before, err := patchlabtest.New(patchlabtest.Options{Values: []any{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "shop"}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := kubernetes.NewForConfigOrDie(before.Config()).CoreV1().ConfigMaps("").List(context.Background(), metav1.ListOptions{})
	if err = errors.Join(err, before.Stop()); err != nil {
		fmt.Println(err)
		return
	}
	s, err := patchlabtest.New(patchlabtest.Options{Values: []any{list}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	found, err := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("shop").Get(context.Background(), "settings", metav1.GetOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range list.Items {
		if o.Name == found.Name {
			fmt.Println(found.Name, "has the same uid:", found.UID == o.UID)
		}
	}
	// Output: settings has the same uid: true
}

// With the plugin ResourceQuota, quotas are enforced, and a controller sets their status.
func ExampleOptions_quota() {
	s, err := patchlabtest.New(patchlabtest.Options{
		AdmissionPlugins: []string{plugins.ResourceQuota},
		Values: []any{
			&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "small", Namespace: "default"},
				Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"configmaps": resource.MustParse("1")}}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	ctx := context.Background()
	c := kubernetes.NewForConfigOrDie(s.Config()).CoreV1()
	for { // until the controller has counted
		if q, err := c.ResourceQuotas("default").Get(ctx, "small", metav1.GetOptions{}); err != nil || len(q.Status.Used) > 0 {
			break
		}
	}
	for _, name := range []string{"a", "b"} {
		_, err := c.ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// configmaps "b" is forbidden: exceeded quota: small, requested: configmaps=1, used: configmaps=1, limited: configmaps=1
}

// Wrap injects a fault: the first create is answered with 503 (Service Unavailable), so that the
// test shows whether a controller tries again.
func ExampleOptions_wrap() {
	var writes atomic.Int32
	s, err := patchlabtest.New(patchlabtest.Options{Wrap: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && writes.Add(1) == 1 {
				http.Error(w, "not now", http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	c := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default")
	for range 2 {
		_, err := c.Create(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		fmt.Println(apierrors.IsServiceUnavailable(err), err == nil)
	}
	// Output:
	// true false
	// false true
}

// Cluster gives access to the server's objects without HTTP: another writer updates the
// object between a read and an update, and the update is rejected with a conflict.
func ExampleServer_Cluster() {
	s, err := patchlabtest.New(patchlabtest.Options{Values: []any{
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
			},
		}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	ctx := context.Background()
	c := kubernetes.NewForConfigOrDie(s.Config()).AppsV1().Deployments("default")
	d, err := c.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Cluster().Do(ctx, &cluster.Request{Verb: cluster.Patch, Format: cluster.MergePatch, Group: "apps", Version: "v1",
		Resource: "deployments", Namespace: "default", Name: "web", Body: []byte(`{"spec":{"replicas":5}}`)}); err != nil {
		fmt.Println(err)
		return
	}
	d.Labels = map[string]string{"tier": "front"}
	_, err = c.Update(ctx, d, metav1.UpdateOptions{})
	fmt.Println(apierrors.IsConflict(err))
	// Output: true
}

func gaugeCRD() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gauges.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "gauges", "singular": "gauge", "kind": "Gauge", "listKind": "GaugeList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}},
		},
	}}
}

func TestValuesMayPrecedeTheirDefinition(t *testing.T) {
	s := patchlabtest.StartWith(t, patchlabtest.Options{Values: []any{
		&unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Gauge", "metadata": map[string]any{"name": "g", "namespace": "default"}}},
		gaugeCRD(),
	}})
	gauges := widgets
	gauges.Resource = "gauges"
	if _, err := dynamic.NewForConfigOrDie(s.Config()).Resource(gauges).Namespace("default").Get(t.Context(), "g", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// unregistered is a typed object of an operator, whose type is in no scheme.
type unregistered struct{ corev1.ConfigMap }

func (u *unregistered) DeepCopyObject() runtime.Object { return u }

func TestValuesThatCannotBeCreated(t *testing.T) {
	for why, test := range map[string]struct {
		value any
		want  string
	}{
		"nil":                {(*corev1.Pod)(nil), "Options.Values[1] is nil"},
		"an unknown type":    {struct{ A int }{1}, "Options.Values[1]: "},
		"no pointer":         {corev1.ConfigMap{}, "Options.Values[1]: v1.ConfigMap has no apiVersion and kind, and is not a pointer to a typed object"},
		"an unknown Go type": {&unregistered{}, "Options.Values[1]: *patchlabtest_test.unregistered: no kind is registered for the type patchlabtest_test.unregistered"},
		"the scheme to set":  {&unregistered{}, "; set Options.Scheme to one that has it"},
		"an unknown kind":    {&unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Gauge"}}, `Options.Values[1]: no kind "Gauge" is registered`},
		"an invalid object":  {&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "A B", Namespace: "default"}}, "Options.Values[1]: "},
	} {
		s, err := patchlabtest.New(patchlabtest.Options{Values: []any{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, test.value}})
		if err == nil {
			t.Errorf("%s: no error", why)
			_ = s.Stop()
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", why, err, test.want)
		}
	}
}

func TestSeedMakesNamesRepeatable(t *testing.T) {
	made := func(seed uint64) (uid, name string) {
		s := patchlabtest.StartWith(t, patchlabtest.Options{Seed: seed})
		c, err := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default").Create(t.Context(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "a-"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return string(c.UID), c.Name
	}
	uid, name := made(7)
	if sameUID, sameName := made(7); sameUID != uid || sameName != name {
		t.Errorf("with the same seed: %s %s and %s %s", uid, name, sameUID, sameName)
	}
	if otherUID, otherName := made(8); otherUID == uid || otherName == name {
		t.Errorf("with another seed: %s %s again", otherUID, otherName)
	}
	if len(name) != len("a-12345") {
		t.Errorf("name %s", name)
	}
	// A wrong bit may be right by chance.
	version4 := regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
	for seed := range uint64(4) {
		if uid, _ := made(seed + 1); !version4.MatchString(uid) {
			t.Errorf("uid %s with seed %d", uid, seed+1)
		}
	}
}

func TestNowSetsTheTimesOfObjects(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := patchlabtest.StartWith(t, patchlabtest.Options{Now: func() time.Time { return now }})
	made, err := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !made.CreationTimestamp.Time.Equal(now) || len(made.ManagedFields) != 1 || !made.ManagedFields[0].Time.Time.Equal(now) {
		t.Errorf("created %s, managedFields %v, want the time %s", made.CreationTimestamp, made.ManagedFields, now)
	}
}

// The admission plugins that a test names apply to what its clients create, and not to the objects
// that the server begins with.
func TestAdmissionPlugins(t *testing.T) {
	pod := func(name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	}
	s := patchlabtest.StartWith(t, patchlabtest.Options{AdmissionPlugins: []string{"Priority"}, Values: []any{pod("old")}})
	pods := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().Pods("default")
	created, err := pods.Create(t.Context(), pod("new"), metav1.CreateOptions{})
	if err != nil || created.Spec.Priority == nil || *created.Spec.Priority != 0 {
		t.Errorf("created with the priority %v: %v", created.Spec.Priority, err)
	}
	if old, err := pods.Get(t.Context(), "old", metav1.GetOptions{}); err != nil || old.Spec.Priority != nil {
		t.Errorf("the server begins with the priority %v: %v", old.Spec.Priority, err)
	}
	if _, err := patchlabtest.New(patchlabtest.Options{AdmissionPlugins: []string{"Quota"}}); err == nil {
		t.Error("an unknown plugin is accepted")
	}
}
