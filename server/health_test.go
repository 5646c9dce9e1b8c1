package server

import (
	"context"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// startHookLines matches the lines of the checks of starting, which testdata/recorded/health.jsonl.gz has.
var startHookLines = regexp.MustCompile(`(?m)^\[\+\](poststarthook/.*|autoregister-completion) ok\n`)

// TestHealthChecksAreThoseOfTheAPIServer compares health checks, which need no token, with what kube-apiserver answers.
func TestHealthChecksAreThoseOfTheAPIServer(t *testing.T) {
	lost := func(context.Context) error { return errors.New("connection refused") }
	for _, tc := range []struct {
		name, path string
		health     func(context.Context) error
		stopping   bool
		code       int
		body       string
	}{
		{"all checks of an old path", "/healthz", nil, false, 200, "ok"},
		{"live", "/livez", nil, false, 200, "ok"},
		{"ready", "/readyz", nil, false, 200, "ok"},
		{"one check", "/livez/ping", nil, false, 200, "ok"},
		{"the store has the name by which clients ask for it", "/readyz/etcd", nil, false, 200, "ok"},
		{"an unknown check", "/livez/other", nil, false, 401, ""},
		{"a path that ends in a slash is that of no check", "/livez/", nil, false, 401, ""},
		{"each check", "/readyz?verbose", nil, false, 200, "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n"},
		{"with an excluded check", "/livez?verbose&exclude=etcd", lost, false, 200, "[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[+]etcd excluded: ok\nlivez check passed\n"},
		{"with an exclusion of no check", "/livez?verbose&exclude=other", nil, false, 200,
			"[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[+]etcd ok\nwarn: some health checks cannot be excluded: no matches for \"other\"\nlivez check passed\n"},
		{"a store that does not respond is not explained without a token", "/livez", lost, false, 500,
			"[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[-]etcd failed: reason withheld\nlivez check failed\n"},
		{"nor by the single check", "/livez/etcd", lost, false, 500, "internal server error: reason withheld\n"},
		{"a server that stops is not ready", "/readyz", nil, true, 500,
			"[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n"},
		{"and live until it has stopped", "/livez", nil, true, 200, "ok"},
	} {
		s := local(t, Options{Token: "secret", Health: tc.health})
		s.stopping.Store(tc.stopping)
		w := ask(s, "GET", tc.path, "")
		if body := startHookLines.ReplaceAllString(w.Body.String(), ""); w.Code != tc.code || tc.body != "" && body != tc.body {
			t.Errorf("%s: %s is %d %q, want %d %q", tc.name, tc.path, w.Code, body, tc.code, tc.body)
		}
		// Clients that find no such header limit their own requests.
		if tc.code != 401 && w.Header().Get("X-Kubernetes-Pf-Flowschema-Uid") == "" {
			t.Errorf("%s: no header of priority and fairness", tc.name)
		}
	}
	s := local(t, Options{Health: lost})
	if w := ask(s, "GET", "/livez/etcd", ""); w.Code != 500 || w.Body.String() != "internal server error: connection refused\n" {
		t.Errorf("a single check for a client that may know: %d %q", w.Code, w.Body)
	}
}

// TestHealthChecksWithAuthorizationByRoles compares the checks with those of a kube-apiserver with
// --authorization-mode Node,RBAC, which also creates roles when it starts.
func TestHealthChecksWithAuthorizationByRoles(t *testing.T) {
	want, err := os.ReadFile("testdata/readyz-rbac.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := local(t, Options{Authorizer: allowing{}})
	if w := ask(s, "GET", "/readyz?verbose", ""); w.Code != 200 || w.Body.String() != string(want) {
		t.Errorf("got %d %s\nwant %s", w.Code, w.Body, want)
	}
}

// allowing is an Authorizer that allows everything.
type allowing struct{}

func (allowing) Authorize(context.Context, *cluster.Request) error { return nil }

func (allowing) AuthorizePath(context.Context, cluster.User, cluster.User, string, string) error {
	return nil
}
