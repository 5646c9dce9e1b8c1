package rbac_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/rbac"
	"github.com/patchlab-dev/patchlab/server"
)

// impersonation is a line of testdata/impersonation.jsonl: a request of a user who has one role and takes
// another identity, and what kube-apiserver 1.36.3 answered.
type impersonation struct {
	Name  string
	Rules []any
	// By is the user who sends the request, with extra fields from the token.
	By    string
	Extra map[string][]string
	// As, UID, Groups and Fields are the identity that is asked for.
	As, UID string
	Groups  []string
	Fields  [][2]string

	Method, Path, Message string
	Code                  int
	// AsGroups are the groups of the identity according to a SelfSubjectReview, if it was allowed.
	AsGroups []string
}

func TestRecordedImpersonation(t *testing.T) {
	for _, want := range recordedIn[impersonation](t, "testdata/impersonation.jsonl") {
		t.Run(want.Name, func(t *testing.T) { want.compare(t) })
	}
}

func (want *impersonation) compare(t *testing.T) {
	c := newCluster(t)
	bindRole(t, c, want.By, want.Rules)
	s := server.New(c, server.Options{User: cluster.User{Name: want.By, Groups: []string{"system:authenticated"}, Extra: want.Extra}, Authorizer: c})
	w := want.send(s, want.Method, want.Path, "")
	var got struct{ Message string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		got.Message = w.Body.String() // in plain text
	}
	if w.Code != want.Code || got.Message != want.Message {
		t.Errorf("got  %d %s\nwant %d %s", w.Code, got.Message, want.Code, want.Message)
	}
	if want.AsGroups == nil {
		return
	}
	var review struct {
		Status struct {
			UserInfo struct{ Groups []string }
		}
	}
	w = want.send(s, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`)
	if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil || !reflect.DeepEqual(review.Status.UserInfo.Groups, want.AsGroups) {
		t.Errorf("the review is %s, want the groups %q", w.Body, want.AsGroups)
	}
}

// send sends a request with the identity that is asked for.
func (want *impersonation) send(s *server.Server, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Impersonate-User", want.As)
	if want.UID != "" {
		r.Header.Set("Impersonate-Uid", want.UID)
	}
	for _, g := range want.Groups {
		r.Header.Add("Impersonate-Group", g)
	}
	for _, f := range want.Fields {
		r.Header.Add("Impersonate-Extra-"+url.PathEscape(f[0]), f[1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// bindRole gives a user a role with rules.
func bindRole(t *testing.T, c rbac.Cluster, user string, rules any) {
	t.Helper()
	const group = "rbac.authorization.k8s.io"
	name := map[string]string{"name": "role"}
	for resource, object := range map[string]any{
		"clusterroles": map[string]any{"metadata": name, "rules": rules},
		"clusterrolebindings": map[string]any{
			"metadata": name, "roleRef": map[string]string{"apiGroup": group, "kind": "ClusterRole", "name": "role"},
			"subjects": []any{map[string]string{"apiGroup": group, "kind": "User", "name": user}},
		},
	} {
		body, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Group: group, Version: "v1", Resource: resource, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
}

// Before Kubernetes 1.36, only the verb impersonate counts, and the name of a node implies no group.
func TestImpersonationBeforeConstraints(t *testing.T) {
	constrained := []any{map[string]any{"apiGroups": []string{"*"}, "resources": []string{"*"}, "verbs": []string{"impersonate:user-info", "impersonate-on:user-info:list"}}}
	anyone := []any{map[string]any{"apiGroups": []string{""}, "resources": []string{"users"}, "verbs": []string{"impersonate"}}}
	for _, c := range []struct {
		why, as string
		rules   any
		message string
	}{
		{"the new verbs grant nothing", "bob", constrained, `users "bob" is forbidden: User "imp" cannot impersonate resource "users" in API group "" at the cluster scope`},
		{"the verb impersonate", "bob", anyone, `configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "shop"`},
		{"a node", "system:node:n", anyone, `configmaps is forbidden: User "system:node:n" cannot list resource "configmaps" in API group "" in the namespace "shop"`},
	} {
		t.Run(c.why, func(t *testing.T) {
			config := cluster.Config{Version: "1.35"}
			if err := rbac.Configure(&config); err != nil {
				t.Fatal(err)
			}
			older, err := cluster.New(config)
			if err != nil {
				t.Fatal(err)
			}
			defer older.Close()
			if err := errors.Join(controllers.Bootstrap(t.Context(), older, netip.AddrPort{}), controllers.BootstrapRoles(t.Context(), older)); err != nil {
				t.Fatal(err)
			}
			cl := rbac.Cluster{Cluster: older}
			bindRole(t, cl, "imp", c.rules)
			s := server.New(cl, server.Options{User: cluster.User{Name: "imp", Groups: []string{"system:authenticated"}}, Authorizer: cl})
			want := impersonation{As: c.as}
			w := want.send(s, "GET", "/api/v1/namespaces/shop/configmaps", "")
			var got struct{ Message string }
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Message != c.message {
				t.Errorf("got  %s\nwant %s", w.Body, c.message)
			}
		})
	}
}
