package server

import (
	"net/http"
	"slices"
	"testing"
)

func TestImpersonatedUserSendsTheRequest(t *testing.T) {
	for _, c := range []struct {
		why     string
		headers http.Header
		name    string
		groups  []string
		refused bool
	}{
		{why: "no headers"},
		{"users are in system:authenticated", http.Header{"Impersonate-User": {"ada"}}, "ada", []string{"system:authenticated"}, false},
		{"given groups and system:authenticated", http.Header{"Impersonate-User": {"ada"}, "Impersonate-Group": {"dev", "ops"}},
			"ada", []string{"dev", "ops", "system:authenticated"}, false},
		{"service accounts are in the groups of their namespace", http.Header{"Impersonate-User": {"system:serviceaccount:shop:web"}},
			"system:serviceaccount:shop:web", []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}, false},
		{"the name of a service account may have dots", http.Header{"Impersonate-User": {"system:serviceaccount:shop:a.b"}},
			"system:serviceaccount:shop:a.b", []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}, false},
		{"a namespace may not", http.Header{"Impersonate-User": {"system:serviceaccount:a.b:web"}}, "system:serviceaccount:a.b:web", []string{"system:authenticated"}, false},
		{"an account has a name", http.Header{"Impersonate-User": {"system:serviceaccount:shop:"}}, "system:serviceaccount:shop:", []string{"system:authenticated"}, false},
		{why: "groups without a user are refused", headers: http.Header{"Impersonate-Group": {"dev"}}, refused: true},
	} {
		u, ok, err := impersonated(&http.Request{Header: c.headers})
		if (err != nil) != c.refused || ok != (c.name != "") || err == nil && (u.Name != c.name || !slices.Equal(u.Groups, c.groups)) {
			t.Errorf("%s: got %q %q, %v", c.why, u.Name, u.Groups, err)
		}
	}
}
