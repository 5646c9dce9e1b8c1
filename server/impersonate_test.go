package server

import (
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

func TestImpersonatedUserSendsTheRequest(t *testing.T) {
	s := local(t, Options{User: cluster.User{Name: "admin", Groups: []string{"system:masters"}}})
	for _, c := range []struct {
		why     string
		headers http.Header
		name    string
		groups  []string
		refused bool
	}{
		{why: "no headers: the server's user", name: "admin", groups: []string{"system:masters"}},
		{"users are in system:authenticated", http.Header{"Impersonate-User": {"ada"}}, "ada", []string{"system:authenticated"}, false},
		{"given groups and system:authenticated", http.Header{"Impersonate-User": {"ada"}, "Impersonate-Group": {"dev", "ops"}},
			"ada", []string{"dev", "ops", "system:authenticated"}, false},
		{"service accounts are in the groups of their namespace", http.Header{"Impersonate-User": {"system:serviceaccount:shop:web"}},
			"system:serviceaccount:shop:web", []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}, false},
		{"given groups replace those of a service account",
			http.Header{"Impersonate-User": {"system:serviceaccount:shop:web"}, "Impersonate-Group": {"dev"}},
			"system:serviceaccount:shop:web", []string{"dev", "system:authenticated"}, false},
		{"a name with a third part is not that of a service account", http.Header{"Impersonate-User": {"system:serviceaccount:shop:web:1"}},
			"system:serviceaccount:shop:web:1", []string{"system:authenticated"}, false},
		{"the namespace of a service account is a DNS label", http.Header{"Impersonate-User": {"system:serviceaccount:Shop:web"}},
			"system:serviceaccount:Shop:web", []string{"system:authenticated"}, false},
		{"nodes are in system:nodes", http.Header{"Impersonate-User": {"system:node:n1"}},
			"system:node:n1", []string{"system:nodes", "system:authenticated"}, false},
		{"a node with a UID is not impersonated as a node", http.Header{"Impersonate-User": {"system:node:n1"}, "Impersonate-Uid": {"1"}},
			"system:node:n1", []string{"system:authenticated"}, false},
		{"system:anonymous is in system:unauthenticated", http.Header{"Impersonate-User": {"system:anonymous"}, "Impersonate-Group": {"system:authenticated"}},
			"system:anonymous", []string{"system:authenticated", "system:unauthenticated"}, false},
		{"system:unauthenticated excludes system:authenticated", http.Header{"Impersonate-User": {"ada"}, "Impersonate-Group": {"system:unauthenticated"}},
			"ada", []string{"system:unauthenticated"}, false},
		{why: "groups without a user are refused", headers: http.Header{"Impersonate-Group": {"dev"}}, refused: true},
	} {
		r, err := s.impersonate(&http.Request{Header: c.headers})
		u := s.identity(r).user
		if (err != nil) != c.refused || err == nil && (u.Name != c.name || !slices.Equal(u.Groups, c.groups)) {
			t.Errorf("%s: got %q %q, %v", c.why, u.Name, u.Groups, err)
		}
	}
}

// Names of extra fields are in lower case, except where their header escapes letters. Headers with the same
// name add values (apiserver/pkg/endpoints/filters/impersonation).
func TestImpersonatedExtraFields(t *testing.T) {
	s := local(t, Options{})
	r, err := s.impersonate(&http.Request{Header: http.Header{"Impersonate-User": {"ada"},
		"Impersonate-Extra-Example.com%2fteam": {"a"}, "Impersonate-Extra-%41bc": {"b"}, "Impersonate-Extra-K": {"c"}, "Impersonate-Extra-%6b": {"d"}}})
	if err != nil {
		t.Fatal(err)
	}
	extra := s.identity(r).user.Extra
	slices.Sort(extra["k"])
	if want := map[string][]string{"example.com/team": {"a"}, "Abc": {"b"}, "k": {"c", "d"}}; !reflect.DeepEqual(extra, want) {
		t.Errorf("%q, want %q", extra, want)
	}
}

func TestImpersonationIsCheckedOnEveryPath(t *testing.T) {
	s := local(t, Options{})
	for _, path := range []string{"/version", "/api", "/openapi/v3", "/apis/example.com/v1/things", "/nowhere"} {
		if got := ask(s, "GET", path, "", "Impersonate-Group", "dev"); got.Code != http.StatusBadRequest {
			t.Errorf("%s with a group but no user: got %d %s", path, got.Code, got.Body)
		}
	}
}
