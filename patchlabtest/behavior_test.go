package patchlabtest_test

import (
	"bytes"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/patchlabtest"
	"github.com/patchlab-dev/patchlab/plugins"
)

// eventually waits until a condition holds, which a controller brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not after a minute: %s", what)
		}
	}
}

// TestNamespacesMustExist: an object is created in a namespace that does not exist unless StrictNamespaces is set.
func TestNamespacesMustExist(t *testing.T) {
	for _, strict := range []bool{false, true} {
		maps := clientOf(t, newServer(t, patchlabtest.Options{StrictNamespaces: strict}).Config()).CoreV1().ConfigMaps("nowhere")
		if _, err := maps.Create(t.Context(), configMap("a"), metav1.CreateOptions{}); apierrors.IsNotFound(err) != strict || !strict && err != nil {
			t.Errorf("strict %t: %v", strict, err)
		}
	}
}

// TestNoControllers: without controllers, a deleted namespace keeps its finalizer.
func TestNoControllers(t *testing.T) {
	namespaces := clientOf(t, newServer(t, patchlabtest.Options{NoControllers: true}).Config()).CoreV1().Namespaces()
	if _, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "lab"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := namespaces.Delete(t.Context(), "lab", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 50 { // in which a controller would finalize it
		if n, err := namespaces.Get(t.Context(), "lab", metav1.GetOptions{}); err != nil || n.Status.Phase != corev1.NamespaceTerminating {
			t.Fatalf("the namespace is %+v, %v", n, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestVersionOfKubernetes(t *testing.T) {
	version, err := clientOf(t, newServer(t, patchlabtest.Options{Version: "1.34"}).Config()).Discovery().ServerVersion()
	if err != nil || version.Minor != "34" {
		t.Errorf("the version is %v, %v", version, err)
	}
}

// TestNoAdmission: the CEL rules of a custom resource are evaluated unless NoAdmission is set.
func TestNoAdmission(t *testing.T) {
	gauges := widgets
	gauges.Resource = "gauges"
	for _, off := range []bool{false, true} {
		crd := gaugeCRD()
		versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
		schema := map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object",
			"properties":               map[string]any{"limit": map[string]any{"type": "integer"}},
			"x-kubernetes-validations": []any{map[string]any{"rule": "self.limit < 3", "message": "too much"}}}}}
		versions[0].(map[string]any)["schema"] = map[string]any{"openAPIV3Schema": schema}
		if err := unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"); err != nil {
			t.Fatal(err)
		}
		s := newServer(t, patchlabtest.Options{NoAdmission: off, Values: []any{crd}})
		gauge := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Gauge",
			"metadata": map[string]any{"name": "g"}, "spec": map[string]any{"limit": int64(3)}}}
		_, err := dynamic.NewForConfigOrDie(s.Config()).Resource(gauges).Namespace("default").Create(t.Context(), gauge, metav1.CreateOptions{})
		if apierrors.IsInvalid(err) == off || off && err != nil {
			t.Errorf("without admission %t: %v", off, err)
		}
	}
}

// TestTokensOfServiceAccounts: a token that the server has issued authenticates the account.
func TestTokensOfServiceAccounts(t *testing.T) {
	ctx := t.Context()
	s := newServer(t, patchlabtest.Options{RBAC: true, AdmissionPlugins: []string{plugins.ServiceAccount}})
	accounts := clientOf(t, s.Config()).CoreV1().ServiceAccounts("default")
	eventually(t, "the account default of a namespace", func() bool {
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	issued, err := accounts.CreateToken(ctx, "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := rest.CopyConfig(s.Config())
	config.BearerToken = issued.Status.Token
	me, err := clientOf(t, config).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil || me.Status.UserInfo.Username != "system:serviceaccount:default:default" {
		t.Errorf("the user is %+v, %v", me.Status.UserInfo, err)
	}
	// Programs that verify the signature themselves look for the key here (OpenID Connect Discovery 1.0).
	keys, err := clientOf(t, s.Config()).RESTClient().Get().AbsPath("/openid/v1/jwks").DoRaw(ctx)
	if err != nil || !bytes.Contains(keys, []byte(`"ES256"`)) {
		t.Errorf("the keys are %s, %v", keys, err)
	}
}

// TestRolesOfRBAC: with RBAC, nobody grants rights without having them or creates an object by an update without the right
// to, and roles are aggregated.
func TestRolesOfRBAC(t *testing.T) {
	ctx := t.Context()
	rules := []rbacv1.PolicyRule{
		{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles"}, Verbs: []string{"create"}},
		{APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"}, Verbs: []string{"update"}},
	}
	s := newServer(t, patchlabtest.Options{RBAC: true, Values: []any{
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "clerk", Namespace: "shop"}, Rules: rules},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "clerk", Namespace: "shop"},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "clerk"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "ada"}}},
	}})
	ada := clientOf(t, s.ConfigFor("ada"))
	secrets := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "more"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}}}}
	if _, err := ada.RbacV1().Roles("shop").Create(ctx, secrets, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a role with more rights: %v", err)
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "new"}}
	if _, err := ada.CoordinationV1().Leases("shop").Update(ctx, lease, metav1.UpdateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("an update that creates: %v", err)
	}
	eventually(t, "the aggregated rules of the role view", func() bool {
		view, err := clientOf(t, s.Config()).RbacV1().ClusterRoles().Get(ctx, "view", metav1.GetOptions{})
		return err == nil && len(view.Rules) > 0
	})
}

// TestFaultsBySubresourceNamespaceAndUser: a fault applies only to requests that agree with each of its fields.
func TestFaultsBySubresourceNamespaceAndUser(t *testing.T) {
	ctx := t.Context()
	s := newServer(t, patchlabtest.Options{})
	defer s.Inject(patchlabtest.Fault{Resource: "namespaces", Subresource: "status", Status: patchlabtest.Conflict()})()
	defer s.Inject(patchlabtest.Fault{Resource: "configmaps", Namespace: "a", User: "ada", Status: patchlabtest.Timeout()})()
	namespaces := clientOf(t, s.Config()).CoreV1().Namespaces()
	n, err := namespaces.Get(ctx, "default", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := namespaces.Update(ctx, n, metav1.UpdateOptions{}); err != nil {
		t.Errorf("an update of the object: %v", err)
	}
	if _, err := namespaces.UpdateStatus(ctx, n, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of the status: %v, want the fault", err)
	}
	for _, c := range []struct {
		user, namespace string
		want            bool
	}{{"ada", "a", true}, {"ada", "b", false}, {"bob", "a", false}} {
		_, err := clientOf(t, s.ConfigFor(c.user)).CoreV1().ConfigMaps(c.namespace).List(ctx, metav1.ListOptions{})
		if apierrors.IsTimeout(err) != c.want || !c.want && err != nil {
			t.Errorf("%s in %s: %v, want the fault: %t", c.user, c.namespace, err, c.want)
		}
	}
}

// TestDelay: a request waits for the delay of a fault and then succeeds.
func TestDelay(t *testing.T) {
	s := newServer(t, patchlabtest.Options{})
	const delay = 200 * time.Millisecond
	defer s.Inject(patchlabtest.Fault{Resource: "configmaps", Delay: delay})()
	begin := time.Now()
	if _, err := clientOf(t, s.Config()).CoreV1().ConfigMaps("d").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took < delay {
		t.Errorf("the request took %v, want at least %v", took, delay)
	}
}
