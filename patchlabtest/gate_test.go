package patchlabtest_test

import (
	"context"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/patchlabtest"
)

func newServer(t *testing.T, o patchlabtest.Options) *patchlabtest.Server {
	t.Helper()
	s, err := patchlabtest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

func clientOf(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"a": "1"}}
}

// TestRolesLimitTheirSubjects checks that a service account has exactly the permissions of its bound
// roles and that the error names the missing one.
func TestRolesLimitTheirSubjects(t *testing.T) {
	ctx := context.Background()
	s := newServer(t, patchlabtest.Options{RBAC: true})
	admin := clientOf(t, s.Config())
	if _, err := admin.RbacV1().Roles("shop").Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "writer"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"create", "get"}}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.RbacV1().RoleBindings("shop").Create(ctx, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "writer"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "writer"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "operator"}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	operator := clientOf(t, s.ConfigFor("system:serviceaccount:shop:operator"))
	if _, err := operator.CoreV1().ConfigMaps("shop").Create(ctx, configMap("a"), metav1.CreateOptions{}); err != nil {
		t.Errorf("create in the namespace of the role: %v", err)
	}
	if me, err := operator.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}); err != nil || me.Status.UserInfo.Username != "system:serviceaccount:shop:operator" {
		t.Errorf("every authenticated user may ask who it is: %v, %v", me, err)
	}
	for why, err := range map[string]error{
		"a verb that the role lacks": operator.CoreV1().ConfigMaps("shop").Delete(ctx, "a", metav1.DeleteOptions{}),
		"another namespace": func() error {
			_, err := operator.CoreV1().ConfigMaps("other").Get(ctx, "a", metav1.GetOptions{})
			return err
		}(),
	} {
		if !apierrors.IsForbidden(err) {
			t.Errorf("%s: got %v, want Forbidden", why, err)
		}
	}
}

// TestFaultsFailTheSelectedRequests checks that a fault applies to the requests it selects, as many times as
// configured.
func TestFaultsFailTheSelectedRequests(t *testing.T) {
	ctx := context.Background()
	s := newServer(t, patchlabtest.Options{})
	maps := clientOf(t, s.Config()).CoreV1().ConfigMaps("d")
	object, err := maps.Create(ctx, configMap("a"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Inject(patchlabtest.Fault{Verb: "update", Group: "core", Resource: "configmaps", Times: 2, Status: patchlabtest.Conflict()})()
	for i, want := range []bool{true, true, false} {
		_, err := maps.Update(ctx, object, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) != want {
			t.Errorf("update %d: got %v", i, err)
		}
		const message = `Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again`
		if want && err.Error() != message {
			t.Errorf("update %d: got %v, want %s", i, err, message)
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a fault for the verb Update, which no request has, does not panic")
			}
		}()
		s.Inject(patchlabtest.Fault{Verb: "Update", Status: patchlabtest.Conflict()})
	}()
	remove := s.Inject(patchlabtest.Fault{Verb: "watch", Status: patchlabtest.Expired()})
	if _, err := maps.Watch(ctx, metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
		t.Errorf("watch: got %v, want Expired", err)
	}
	remove()
	w, err := maps.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Stop()
}

// TestRequestsAreRecordedWithTheirManager checks that the record names the manager of each change, which lets a test
// detect two managers that overwrite each other's fields.
func TestRequestsAreRecordedWithTheirManager(t *testing.T) {
	ctx := context.Background()
	start := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	clock := patchlabtest.NewClock(start)
	s := newServer(t, patchlabtest.Options{Now: clock.Now})
	maps := clientOf(t, s.ConfigFor("ada")).CoreV1().ConfigMaps("d")
	object, err := maps.Create(ctx, configMap("a"), metav1.CreateOptions{FieldManager: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if !object.CreationTimestamp.Time.Equal(start) {
		t.Errorf("created at %v, want the time of the clock", object.CreationTimestamp)
	}
	clock.Advance(time.Hour)
	if _, err := maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"a":"2"}}`), metav1.PatchOptions{FieldManager: "two"}); err != nil {
		t.Fatal(err)
	}
	var writes []patchlabtest.Request
	for _, r := range s.Requests() {
		if r.Resource == "configmaps" && (r.Verb == "create" || r.Verb == "patch") {
			writes = append(writes, r)
		}
	}
	if len(writes) != 2 || writes[0].Manager != "one" || writes[1].Manager != "two" || writes[1].User != "ada" ||
		writes[1].Name != "a" || !writes[1].Time.Equal(start.Add(time.Hour)) {
		t.Errorf("recorded %+v", writes)
	}
}
