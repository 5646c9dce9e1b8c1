package patchlabtest_test

import (
	"context"
	"strings"
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

	"github.com/patchlab-dev/patchlab/cluster"
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

// TestFaultsByName: a create has its name in the body, a list and a watch in the field selector.
func TestFaultsByName(t *testing.T) {
	ctx := context.Background()
	s := newServer(t, patchlabtest.Options{})
	maps := clientOf(t, s.Config()).CoreV1().ConfigMaps("d")
	named := metav1.ListOptions{FieldSelector: "metadata.name=a"}
	list := func(o metav1.ListOptions) error {
		_, err := maps.List(ctx, o)
		return err
	}
	created := func(name string) error {
		_, err := maps.Create(ctx, configMap(name), metav1.CreateOptions{})
		return err
	}
	defer s.Inject(patchlabtest.Fault{Resource: "configmaps", Name: "a", Status: patchlabtest.Conflict()})()
	for _, test := range []struct {
		why  string
		err  error
		want bool
	}{
		{"a create of the name", created("a"), true},
		{"a create of another name", created("b"), false},
		{"a list of the name", list(named), true},
		{"a list of all", list(metav1.ListOptions{}), false},
		{"a list of another name", list(metav1.ListOptions{FieldSelector: "metadata.name=b"}), false},
	} {
		if apierrors.IsConflict(test.err) != test.want || !test.want && test.err != nil {
			t.Errorf("%s: %v, want a fault: %v", test.why, test.err, test.want)
		}
	}
	if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "c-"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range s.Requests() {
		names = append(names, r.Name)
	}
	if len(names) != 6 || names[0] != "a" || names[1] != "b" || names[2] != "a" || names[3] != "" || len(names[5]) != len("c-12345") {
		t.Errorf("recorded the names %q", names)
	}
}

// TestFaultsWithoutEffectPanic: a test with a fault that no request can match would pass for the
// wrong reason.
func TestFaultsWithoutEffectPanic(t *testing.T) {
	s := newServer(t, patchlabtest.Options{})
	status := patchlabtest.Conflict()
	for _, test := range []struct {
		why   string
		fault patchlabtest.Fault
		want  string // of the panic; "" if the fault may have an effect
	}{
		{"nothing happens", patchlabtest.Fault{Verb: "get"}, "neither a Status nor a Delay"},
		{"a verb in upper case", patchlabtest.Fault{Verb: "Update", Status: status}, `no request has the verb "Update"; the verbs are get, list,`},
		{"the name of an unknown verb", patchlabtest.Fault{Verb: "unknown", Status: status}, `"unknown"`},
		{"no code", patchlabtest.Fault{Status: &cluster.Status{Message: "no"}}, "the code 0"},
		{"a code that HTTP does not have", patchlabtest.Fault{Status: &cluster.Status{Code: 1000}}, "the code 1000"},
		{"a success", patchlabtest.Fault{Status: &cluster.Status{Code: 200}}, "the code 200"},
		{"fewer than no requests", patchlabtest.Fault{Times: -1, Status: status}, "-1 requests"},
		{"a kind", patchlabtest.Fault{Resource: "ConfigMap", Status: status}, `did you mean "configmaps"?`},
		{"a short name", patchlabtest.Fault{Resource: "deploy", Status: status}, `did you mean "deployments"?`},
		{"a subresource", patchlabtest.Fault{Resource: "pods/status", Status: status}, "Fault.Subresource"},
		{"another group's resource", patchlabtest.Fault{Group: "apps", Resource: "pods", Status: status}, `the group "apps" has no resource "pods"`},
		{"a version as the group", patchlabtest.Fault{Group: "v1", Status: status}, `no group "v1"`},
		{"a group with a version", patchlabtest.Fault{Group: "apps/v1", Status: status}, "has a version"},
		{"a name of several objects", patchlabtest.Fault{Verb: "deletecollection", Name: "a", Status: status}, "has no Name"},
		{"a resource whose definition may come", patchlabtest.Fault{Group: "example.com", Resource: "widgets", Status: status}, ""},
		{"a resource whose group is not named", patchlabtest.Fault{Resource: "widgets", Status: status}, ""},
		{"a delay", patchlabtest.Fault{Group: "core", Resource: "configmaps", Delay: time.Millisecond}, ""},
	} {
		func() {
			defer func() {
				got, _ := recover().(string)
				if test.want == "" && got != "" || !strings.Contains(got, test.want) {
					t.Errorf("%s: the panic is %q, want %q", test.why, got, test.want)
				}
			}()
			s.Inject(test.fault)()
		}()
	}
}

// TestConfigForNobody: a config without a user would be that of the administrator.
func TestConfigForNobody(t *testing.T) {
	s := newServer(t, patchlabtest.Options{})
	defer func() {
		if recover() == nil {
			t.Error("ConfigFor returns a config for no user")
		}
	}()
	s.ConfigFor("")
}
