package patchlabtest_test

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

// Start is the only call a test needs:
//
//	func TestReconcile(t *testing.T) {
//		cfg := patchlabtest.Start(t, "config/crd")
//		mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
//		…
//	}
func ExampleStart() {
	// An example has no testing.TB, so it creates and stops the server itself.
	s, err := patchlabtest.New(patchlabtest.Options{CRDs: []string{"testdata/crds"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	ctx := context.Background()
	c := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default")

	first := coreapply.ConfigMap("settings", "default").WithData(map[string]string{"level": "info"})
	if _, err := c.Apply(ctx, first, metav1.ApplyOptions{FieldManager: "ops"}); err != nil {
		fmt.Println(err)
		return
	}
	second := coreapply.ConfigMap("settings", "default").WithData(map[string]string{"level": "debug"})
	_, err = c.Apply(ctx, second, metav1.ApplyOptions{FieldManager: "dev"})
	fmt.Println(apierrors.IsConflict(err))
	fmt.Println(err)
	// Output:
	// true
	// Apply failed with 1 conflict: conflict with "ops": .data.level
}

// The first update fails as if another client had written the object in between, and the record of
// requests shows that the client has tried again.
func ExampleServer_Inject() {
	s, err := patchlabtest.New(patchlabtest.Options{Values: []any{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "default"}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	defer s.Inject(patchlabtest.Fault{Verb: "update", Resource: "configmaps", Name: "settings", Times: 1, Status: patchlabtest.Conflict()})()

	ctx := context.Background()
	c := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default")
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		object, err := c.Get(ctx, "settings", metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.Data = map[string]string{"level": "debug"}
		_, err = c.Update(ctx, object, metav1.UpdateOptions{})
		return err
	})
	fmt.Println(err)
	for _, r := range s.Requests() {
		fmt.Println(r)
	}
	// Output:
	// <nil>
	// patchlabtest.test get configmaps default/settings: 200
	// patchlabtest.test update configmaps default/settings: 409
	// patchlabtest.test get configmaps default/settings: 200
	// patchlabtest.test update configmaps default/settings: 200
}

// A controller gets only the rights that its role grants.
func ExampleServer_ConfigFor() {
	s, err := patchlabtest.New(patchlabtest.Options{RBAC: true, Values: []any{
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: "shop"},
			Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}}},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: "shop"},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "controller", Namespace: "shop"}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	c := kubernetes.NewForConfigOrDie(s.ConfigFor("system:serviceaccount:shop:controller")).CoreV1()
	_, err = c.ConfigMaps("shop").List(context.Background(), metav1.ListOptions{})
	fmt.Println(err)
	_, err = c.Secrets("shop").List(context.Background(), metav1.ListOptions{})
	fmt.Println(err)
	// Output:
	// <nil>
	// secrets is forbidden: User "system:serviceaccount:shop:controller" cannot list resource "secrets" in API group "" in the namespace "shop"
}

// With a clock, a test decides how old objects are, without waiting.
func ExampleClock() {
	clock := patchlabtest.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	s, err := patchlabtest.New(patchlabtest.Options{Now: clock.Now})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Stop()
	c := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().ConfigMaps("default")
	for _, name := range []string{"first", "second"} {
		made, err := c.Create(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(made.Name, made.CreationTimestamp.UTC())
		clock.Advance(time.Hour)
	}
	// Output:
	// first 2026-05-01 12:00:00 +0000 UTC
	// second 2026-05-01 13:00:00 +0000 UTC
}
