package rbac_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/rbac"
	"github.com/patchlab-dev/patchlab/server"
)

// step is a line of a file in testdata: a request of a user, and what kube-apiserver 1.36.3 with
// --authorization-mode=RBAC answered. A step without a user was sent by a member of system:masters.
type step struct {
	Name, User                      string
	Groups                          []string
	Extra                           map[string]string
	Method, Path, ContentType, Body string

	Code int
	// Message is that of a refusal, and Details are its details, nil if they were not recorded. Status is
	// the status of a review.
	Message         string
	Details, Status any
	// ContentTypeOptions is the header X-Content-Type-Options, nil if it was not recorded.
	ContentTypeOptions *string
}

func newCluster(t *testing.T) rbac.Cluster {
	t.Helper()
	return newClusterOf(t, "")
}

// newClusterOf returns a cluster of a Kubernetes version, the newest one if that is empty.
func newClusterOf(t *testing.T, version string) rbac.Cluster {
	t.Helper()
	config := cluster.Config{Version: version}
	if err := rbac.Configure(&config); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := errors.Join(controllers.Bootstrap(t.Context(), c, netip.AddrPort{}), controllers.BootstrapRoles(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	return rbac.Cluster{Cluster: c}
}

func TestRecordings(t *testing.T) {
	// Requests for objects, and those that are refused before they reach the cluster.
	for _, file := range []string{"recorded", "paths", "signers", "streams", "claims", "forbidden", "escalation", "selected", "creating", "reviews", "details", "policies", "covered"} {
		t.Run(file, func(t *testing.T) { testRecording(t, "testdata/"+file+".jsonl", "") })
	}
	// Kinds that kube-apiserver 1.37 is the first to serve, whose version answered.
	testRecording(t, "testdata/signers-1.37.jsonl", "1.37")
}

// recordedIn returns the lines of a file of recordings.
func recordedIn[T any](t *testing.T, file string) []T {
	t.Helper()
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for line := range strings.Lines(string(recorded)) {
		var one T
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

func testRecording(t *testing.T, file, version string) {
	c := newClusterOf(t, version)
	s := server.New(c, server.Options{User: cluster.User{Name: "admin", Groups: []string{"system:masters"}}, Authorizer: c})
	for _, want := range recordedIn[step](t, file) {
		r := httptest.NewRequest(want.Method, want.Path, strings.NewReader(want.Body))
		r.Header.Set("User-Agent", "lab/1")
		if want.ContentType != "" {
			r.Header.Set("Content-Type", want.ContentType)
		}
		if want.User != "" {
			r.Header.Set("Impersonate-User", want.User)
		}
		for _, g := range want.Groups {
			r.Header.Add("Impersonate-Group", g)
		}
		for key, value := range want.Extra {
			r.Header.Set("Impersonate-Extra-"+url.PathEscape(key), value)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		var got struct {
			Message, Reason string
			Details, Status any
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil && want.Code >= 300 {
			got.Message = w.Body.String() // in plain text
		} else if want.Code == 403 && got.Reason != "Forbidden" { // by which clients recognize it
			t.Errorf("%s: the reason of a refusal is %q", want.Name, got.Reason)
		}
		if w.Code != want.Code || got.Message != want.Message {
			t.Errorf("%s: %s %s by %q: %d %q, want %d %q", want.Name, want.Method, want.Path, want.User, w.Code, got.Message, want.Code, want.Message)
		}
		if options := w.Header().Get("X-Content-Type-Options"); want.ContentTypeOptions != nil && options != *want.ContentTypeOptions {
			t.Errorf("%s: %s %s: X-Content-Type-Options is %q, want %q", want.Name, want.Method, want.Path, options, *want.ContentTypeOptions)
		}
		if want.Details != nil && !reflect.DeepEqual(got.Details, want.Details) {
			t.Errorf("%s: the details are %v, want %v", want.Name, got.Details, want.Details)
		}
		if want.Status != nil && !reflect.DeepEqual(got.Status, want.Status) {
			t.Errorf("%s: the status is %v, want %v", want.Name, got.Status, want.Status)
		}
	}
}

// TestStreamsOfVersions opens a stream with GET, which needs the right to create one from Kubernetes 1.35 on.
func TestStreamsOfVersions(t *testing.T) {
	for version, allowed := range map[string]bool{"1.34": true, "1.35": false} {
		c := newClusterOf(t, version)
		bindRole(t, c, "ada", []any{map[string]any{"apiGroups": []string{""}, "resources": []string{"pods/exec"}, "verbs": []string{"get"}}})
		exec := &cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "pods", Namespace: "shop", Name: "p", Subresource: "exec", User: cluster.User{Name: "ada"}}
		if err := c.Authorize(t.Context(), exec); (err == nil) != allowed {
			t.Errorf("%s: %v, want it to be allowed: %t", version, err, allowed)
		}
	}
}

// A SelfSubjectRulesReview lists the rules of all roles that are bound to the user in a namespace.
func TestRulesReview(t *testing.T) {
	c := newCluster(t)
	create := func(u cluster.User, group, resource, namespace, body string) *cluster.Response {
		t.Helper()
		resp, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.Create, Group: group, Version: "v1", Resource: resource, Namespace: namespace, Body: []byte(body), User: u})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	const group = "rbac.authorization.k8s.io"
	create(cluster.User{}, group, "roles", "shop", `{"metadata":{"name":"one"},"rules":[{"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"],"verbs":["get","list"]}]}`)
	create(cluster.User{}, group, "rolebindings", "shop", `{"metadata":{"name":"devs"},"roleRef":{"apiGroup":"`+group+`","kind":"Role","name":"one"},"subjects":[{"apiGroup":"`+group+`","kind":"Group","name":"devs"}]}`)
	for _, format := range []string{`{"spec":{"namespace":"shop"}}`, "spec: {namespace: shop}"} {
		request := &cluster.Request{Verb: cluster.Create, Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectrulesreviews", Body: []byte(format),
			User: cluster.User{Name: "ada", Groups: []string{"devs"}}}
		if !strings.HasPrefix(format, "{") {
			request.Format = cluster.YAML
		}
		// The right to ask comes with the group system:authenticated, which the server adds.
		request.User.Groups = append(request.User.Groups, "system:authenticated")
		resp, err := c.Do(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		status := resp.Object.Get("status")
		rules := status.Get("resourceRules")
		const want = `{"apiGroups":[""],"resourceNames":["a"],"resources":["configmaps"],"verbs":["get","list"]}`
		if last := rules.At(rules.Len() - 1).String(); last != want || rules.Len() != 3 || status.Get("nonResourceRules").Len() != 2 || status.Get("incomplete").String() != "false" {
			t.Errorf("%s: the status is %s", format, status)
		}
	}
}

// TestReviewOfNobody: nobody is the process itself, which may do everything; a caller that leaves the
// user out does not ask about it.
func TestReviewOfNobody(t *testing.T) {
	c := newCluster(t)
	spec, err := document.ParseYAML([]byte(`{resourceAttributes: {verb: delete, resource: secrets, namespace: shop}}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why    string
		user   cluster.User
		failed bool
		want   bool // whether it is allowed
	}{
		{"nobody", cluster.User{}, true, false},
		{"a UID names nobody", cluster.User{UID: "1"}, true, false},
		{"a user without roles", cluster.User{Name: "ada"}, false, false},
		{"a group without roles", cluster.User{Groups: []string{"devs"}}, false, false},
		{"a superuser", cluster.User{Groups: []string{"system:masters"}}, false, true},
	} {
		status, err := c.Review(t.Context(), test.user, spec.Root)
		allowed, _ := status.Get("allowed").Bool()
		if (err != nil) != test.failed || allowed != test.want {
			t.Errorf("%s: allowed %v, error %v", test.why, allowed, err)
		}
	}
}

// TestClaimsBefore136 allocates a ResourceClaim in a version in which the right to update its status is enough.
func TestClaimsBefore136(t *testing.T) {
	c := newClusterOf(t, "1.35")
	const group = "resource.k8s.io"
	bindRole(t, c, "ada", []any{map[string]any{"apiGroups": []string{group}, "resources": []string{"resourceclaims", "resourceclaims/status"}, "verbs": []string{"create", "update"}}})
	for _, r := range []*cluster.Request{
		{Verb: cluster.Create, Body: []byte(`{"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}}`)},
		{Verb: cluster.Update, Name: "c", Subresource: "status",
			Body: []byte(`{"metadata":{"name":"c"},"status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d.io","pool":"p","device":"d"}]}}}}`)},
	} {
		r.Group, r.Version, r.Resource, r.Namespace, r.User = group, "v1", "resourceclaims", "shop", cluster.User{Name: "ada"}
		if _, err := c.Do(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
}
