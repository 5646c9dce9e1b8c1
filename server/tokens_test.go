package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// accounts is a server that requires a token and has the service account "a" and, in the same
// namespace, the pod "p" on the node "n", the pod "lost" on a node that does not exist, and the secret "s".
type accounts struct {
	t   *testing.T
	s   *Server
	now time.Time
}

const (
	inDefault  = "/api/v1/namespaces/default"
	adminToken = "secret"
)

var admin = cluster.User{Name: "admin", UID: "admin", Groups: []string{"system:masters", "system:authenticated"}}

func newAccounts(t *testing.T) *accounts {
	t.Helper()
	a := &accounts{t: t, now: fixedClock()}
	clock := func() time.Time { return a.now }
	tokens := &Tokens{}
	c, err := cluster.New(cluster.Config{Now: clock, Tokens: tokens, StaticTokens: map[string]cluster.User{adminToken: admin}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	a.s = New(c, Options{Now: clock, Token: adminToken, Tokens: tokens})
	a.must("POST", inDefault+"/serviceaccounts", `{"metadata":{"name":"a"}}`)
	a.must("POST", "/api/v1/nodes", `{"metadata":{"name":"n"}}`)
	a.must("POST", inDefault+"/pods", `{"metadata":{"name":"p"},"spec":{"serviceAccountName":"a","nodeName":"n","containers":[{"name":"c","image":"i"}]}}`)
	a.must("POST", inDefault+"/pods", `{"metadata":{"name":"lost"},"spec":{"serviceAccountName":"a","nodeName":"none","containers":[{"name":"c","image":"i"}]}}`)
	a.must("POST", inDefault+"/secrets", `{"metadata":{"name":"s"}}`)
	return a
}

func (a *accounts) must(method, path, text string) document.Value {
	a.t.Helper()
	w := ask(a.s, method, path, text, "Authorization", "Bearer "+adminToken)
	if w.Code >= 300 {
		a.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return body(a.t, w)
}

// token returns a token of a service account.
func (a *accounts) token(account, spec string) string {
	a.t.Helper()
	return a.must("POST", inDefault+"/serviceaccounts/"+account+"/token", `{"spec":`+spec+`}`).Lookup("status", "token").StringOr("")
}

// review returns the status of a TokenReview.
func (a *accounts) review(token, audiences string) document.Value {
	a.t.Helper()
	return a.must("POST", "/apis/authentication.k8s.io/v1/tokenreviews", `{"spec":{"token":"`+token+`","audiences":`+audiences+`}}`).Get("status")
}

// who returns the user of requests with a token, absent if they are not authenticated.
func (a *accounts) who(token string) document.Value {
	a.t.Helper()
	w := ask(a.s, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{}`, "Authorization", "Bearer "+token)
	if w.Code == 401 {
		return document.Value{}
	}
	return body(a.t, w).Lookup("status", "userInfo")
}

// The token of a service account authenticates requests, and a TokenReview names its user, as
// kube-apiserver 1.36.3 answered the same requests.
func TestTokensOfServiceAccounts(t *testing.T) {
	const api = `"https://kubernetes.default.svc.cluster.local"`
	for _, c := range []struct {
		name, spec, audiences string
		granted               string
		extra                 []string
		refused               bool // as the credential of a request
	}{
		{name: "without audiences it is for the API", spec: `{}`, audiences: `[]`, granted: `[` + api + `]`},
		{name: "only the audiences that the token has are granted", spec: `{}`, audiences: `[` + api + `,"x"]`, granted: `[` + api + `]`},
		{name: "a token for others is no credential here", spec: `{"audiences":["x","z"]}`, audiences: `["y","x"]`, granted: `["x"]`, refused: true},
		{name: "bound to a pod", spec: `{"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}}`, audiences: `[]`, granted: `[` + api + `]`,
			extra: []string{"node-name", "node-uid", "pod-name", "pod-uid"}},
		{name: "bound to a pod whose node does not exist", spec: `{"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"lost"}}`, audiences: `[]`, granted: `[` + api + `]`,
			extra: []string{"node-name", "pod-name", "pod-uid"}},
		{name: "bound to a node", spec: `{"boundObjectRef":{"apiVersion":"v1","kind":"Node","name":"n"}}`, audiences: `[]`, granted: `[` + api + `]`,
			extra: []string{"node-name", "node-uid"}},
		{name: "bound to a secret", spec: `{"boundObjectRef":{"apiVersion":"v1","kind":"Secret","name":"s"}}`, audiences: `[]`, granted: `[` + api + `]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAccounts(t)
			token := a.token("a", c.spec)
			status := a.review(token, c.audiences)
			if !document.Equal(status.Get("authenticated"), document.NewBool(true)) || status.Get("audiences").String() != c.granted || status.Get("error").Exists() {
				t.Errorf("the status is %s", status)
			}
			user := status.Get("user")
			uid := a.must("GET", inDefault+"/serviceaccounts/a", "").Lookup("metadata", "uid")
			if user.Get("username").StringOr("") != "system:serviceaccount:default:a" || !document.Equal(user.Get("uid"), uid) ||
				user.Get("groups").String() != `["system:serviceaccounts","system:serviceaccounts:default","system:authenticated"]` {
				t.Errorf("the user is %s", user)
			}
			extra := user.Get("extra")
			if id := extra.Get("authentication.kubernetes.io/credential-id").At(0).StringOr(""); !strings.HasPrefix(id, "JTI=") {
				t.Errorf("the credential is %q", id)
			}
			for _, key := range c.extra {
				if extra.Get("authentication.kubernetes.io/"+key).At(0).StringOr("") == "" {
					t.Errorf("%s is missing in %s", key, extra)
				}
			}
			if want := len(c.extra) + 1; extra.Len() != want {
				t.Errorf("%d extra fields, want %d: %s", extra.Len(), want, extra)
			}
			switch who := a.who(token); {
			case c.refused && who.Exists():
				t.Errorf("the token for others authenticates %s", who)
			case !c.refused && !document.Equal(who, user):
				t.Errorf("the token authenticates %s, the review names %s", who, user)
			}
		})
	}
}

// A TokenReview accepts a static token for the audience of the API, as kube-apiserver 1.36.3 answered the
// same reviews of a token of its --token-auth-file.
func TestReviewOfAStaticToken(t *testing.T) {
	const (
		api      = `"https://kubernetes.default.svc.cluster.local"`
		accepted = `{"audiences":[` + api + `],"authenticated":true,"user":{"groups":["system:masters","system:authenticated"],"uid":"admin","username":"admin"}}`
	)
	for _, c := range []struct{ why, audiences, want string }{
		{"without audiences it is for the API", `[]`, accepted},
		{"only the audience of the API is granted", `["x",` + api + `]`, accepted},
		{"it is not for others", `["x"]`, `{"error":"invalid bearer token","user":{}}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			if status := newAccounts(t).review(adminToken, c.audiences); status.String() != c.want {
				t.Errorf("the status is %s, want %s", status, c.want)
			}
		})
	}
}

// A token is refused with kube-apiserver's reason, in a review and as the credential of a request.
func TestInvalidTokens(t *testing.T) {
	encode := base64.RawURLEncoding.EncodeToString
	// part replaces one of the three parts of a token.
	part := func(token string, i int, by func(string) string) string {
		parts := strings.Split(token, ".")
		parts[i] = by(parts[i])
		return strings.Join(parts, ".")
	}
	const signature = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]"
	for _, c := range []struct {
		name string
		// spec is that of the TokenRequest, and change what happens then. It returns the token to use.
		spec      string
		audiences string
		change    func(a *accounts, token string) string
		want      string
	}{
		{name: "no token", change: func(*accounts, string) string { return "garbage" }, want: "invalid bearer token"},
		{name: "three parts that are not encoded", change: func(*accounts, string) string { return "a.b.c" }, want: "invalid bearer token"},
		{name: "another issuer", change: func(_ *accounts, token string) string {
			return part(token, 1, func(string) string { return encode([]byte(`{"iss":"https://other.example"}`)) })
		}, want: "invalid bearer token"},
		{name: "other claims", change: func(_ *accounts, token string) string {
			return part(token, 1, func(claims string) string {
				text, _ := base64.RawURLEncoding.DecodeString(claims)
				return encode([]byte(strings.ReplaceAll(string(text), `"a"`, `"b"`)))
			})
		}, want: signature},
		{name: "another signature", change: func(_ *accounts, token string) string {
			return part(token, 2, func(s string) string { return strings.Repeat("A", len(s)) })
		}, want: signature},
		{name: "the key of another server", change: func(*accounts, string) string { return newAccounts(t).token("a", `{}`) },
			want: "[invalid bearer token, invalid signature, no keys found]"},
		{name: "other audiences", audiences: `["x","y"]`, change: func(_ *accounts, token string) string { return token },
			want: `[invalid bearer token, token audiences ["https://kubernetes.default.svc.cluster.local"] is invalid for the target audiences ["x" "y"]]`},
		{name: "expired", change: func(a *accounts, token string) string { a.now = a.now.Add(time.Hour + 2*time.Minute); return token },
			want: "[invalid bearer token, service account token has expired]"},
		{name: "not valid yet", change: func(a *accounts, token string) string { a.now = a.now.Add(-2 * time.Minute); return token },
			want: "[invalid bearer token, service account token is not valid yet]"},
		{name: "the account was deleted", change: func(a *accounts, token string) string {
			a.must("DELETE", inDefault+"/serviceaccounts/a", "")
			return token
		}, want: `[invalid bearer token, serviceaccounts "a" not found]`},
		{name: "the account was created anew", change: func(a *accounts, token string) string {
			a.must("DELETE", inDefault+"/serviceaccounts/a", "")
			a.must("POST", inDefault+"/serviceaccounts", `{"metadata":{"name":"a"}}`)
			return token
		}, want: "[invalid bearer token, service account UID (NEW) does not match claim (OLD)]"},
		{name: "the account has been terminating for some time", change: func(a *accounts, token string) string {
			a.must("PUT", inDefault+"/serviceaccounts/a", `{"metadata":{"name":"a","finalizers":["x.example.com/f"]}}`)
			a.must("DELETE", inDefault+"/serviceaccounts/a", "")
			if !a.who(token).Exists() {
				t.Error("the token ends with the beginning of the deletion")
			}
			a.now = a.now.Add(2 * time.Minute)
			return token
		}, want: "[invalid bearer token, service account default/a has been deleted]"},
		{name: "its pod was deleted", spec: `{"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}}`, change: func(a *accounts, token string) string {
			a.must("DELETE", inDefault+"/pods/p?gracePeriodSeconds=0", "")
			return token
		}, want: "[invalid bearer token, service account token has been invalidated]"},
		{name: "its node was deleted", spec: `{"boundObjectRef":{"apiVersion":"v1","kind":"Node","name":"n"}}`, change: func(a *accounts, token string) string {
			a.must("DELETE", "/api/v1/nodes/n", "")
			return token
		}, want: "[invalid bearer token, service account token has been invalidated]"},
		{name: "its secret was created anew", spec: `{"boundObjectRef":{"apiVersion":"v1","kind":"Secret","name":"s"}}`, change: func(a *accounts, token string) string {
			a.must("DELETE", inDefault+"/secrets/s", "")
			a.must("POST", inDefault+"/secrets", `{"metadata":{"name":"s"}}`)
			return token
		}, want: "[invalid bearer token, secret UID (NEW) does not match service account secret ref claim (OLD)]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAccounts(t)
			uid := func(path string) string {
				w := ask(a.s, "GET", path, "", "Authorization", "Bearer "+adminToken)
				return body(t, w).Lookup("metadata", "uid").StringOr("-")
			}
			spec, audiences, path := c.spec, c.audiences, inDefault+"/serviceaccounts/a"
			if spec == "" {
				spec = `{}`
			}
			if audiences == "" {
				audiences = `[]`
			}
			if strings.Contains(c.want, "secret UID") {
				path = inDefault + "/secrets/s"
			}
			old := uid(path)
			token := c.change(a, a.token("a", spec))
			want := strings.NewReplacer("NEW", uid(path), "OLD", old).Replace(c.want)
			if status := a.review(token, audiences); status.Get("error").StringOr("") != want || status.Get("authenticated").Exists() {
				t.Errorf("the status is %s, want the error %s", status, want)
			}
			if c.audiences == "" && a.who(token).Exists() {
				t.Error("the token authenticates a request")
			}
		})
	}
}

// A server without a required token takes every request but those with the token of a service account
// that is not valid; with a valid one, the account is the user.
func TestTokensWithoutARequiredOne(t *testing.T) {
	a := newAccounts(t)
	token, damaged := a.token("a", `{}`), a.token("a", `{}`)
	damaged = damaged[:len(damaged)-4] + "AAAA"
	a.s.options.Token = ""
	for token, want := range map[string]string{token: "system:serviceaccount:default:a", damaged: "", "garbage": "system:anonymous"} {
		if got := a.who(token).Get("username").StringOr(""); got != want {
			t.Errorf("the user is %q, want %q", got, want)
		}
	}
}

// TestOptionalToken checks that a token which is not required is accepted where others are verified, and that
// requests without one are those of Options.User.
func TestOptionalToken(t *testing.T) {
	a := newAccounts(t)
	a.s.options.TokenOptional, a.s.options.VerifyTokens = true, true
	for _, c := range []struct {
		why, authorization string
		code               int
	}{
		{"the token", "Bearer " + adminToken, 200},
		{"no token", "", 200},
		{"the token of a service account", "Bearer " + a.token("a", "{}"), 200},
		{"another token", "Bearer other", 401},
	} {
		if w := ask(a.s, "GET", inDefault+"/pods", "", "Authorization", c.authorization); w.Code != c.code {
			t.Errorf("%s: %d, want %d", c.why, w.Code, c.code)
		}
	}
	a.s.options.VerifyTokens = false
	if w := ask(a.s, "GET", inDefault+"/pods", "", "Authorization", "Bearer other"); w.Code != 200 {
		t.Errorf("a token that is not verified: %d", w.Code)
	}
}

// The answers are those of kube-apiserver 1.36.3.
func TestAuthorizationHeader(t *testing.T) {
	const spaced = `299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"`
	s := local(t, Options{Token: "secret"})
	for _, c := range []struct {
		why, header string
		code        int
		warning     string
	}{
		{"a bearer token", "Bearer secret", 200, ""},
		{"the scheme has no case", "bEARER secret", 200, ""},
		{"space around the value is not part of it", "  Bearer secret  ", 200, ""},
		{"what follows the token is ignored", "Bearer secret x", 200, ""},
		{"two spaces before the token", "Bearer  secret", 401, spaced},
		{"no token", "Bearer", 401, ""},
		{"another scheme", "Token secret", 401, ""},
	} {
		got := ask(s, "GET", "/version", "", "Authorization", c.header)
		if got.Code != c.code || got.Header().Get("Warning") != c.warning {
			t.Errorf("%s: got %d and the warning %q", c.why, got.Code, got.Header().Get("Warning"))
		}
	}
}

// OpenAPI has documents for the issuer and its keys, as in kube-apiserver.
func TestPublishedKeysAreDescribed(t *testing.T) {
	a := newAccounts(t)
	get := func(path string) document.Value {
		return body(t, ask(a.s, "GET", path, "", "Authorization", "Bearer "+adminToken))
	}
	index, v2 := get("/openapi/v3").Get("paths"), get("/openapi/v2").Get("paths")
	for _, c := range []struct{ path, mediaType string }{
		{".well-known/openid-configuration", "application/json"},
		{"openid/v1/jwks", "application/jwk-set+json"},
	} {
		url := index.Lookup(c.path, "serverRelativeURL").StringOr("")
		content := get(url).Lookup("paths", "/"+c.path+"/", "get", "responses", "200", "content")
		if got := content.Lookup(c.mediaType, "schema", "type").StringOr(""); got != "string" {
			t.Errorf("%s at %q: %s", c.path, url, content)
		}
		if got := v2.Lookup("/"+c.path+"/", "get", "responses", "200", "schema", "type").StringOr(""); got != "string" {
			t.Errorf("%s in v2: %s", c.path, v2.Get("/"+c.path+"/"))
		}
	}
}

// A client that knows the issuer finds the key, and can verify a token with it alone.
func TestPublishedKeys(t *testing.T) {
	a := newAccounts(t)
	get := func(path string, headers ...string) *httptest.ResponseRecorder {
		t.Helper()
		return ask(a.s, "GET", path, "", append(headers, "Authorization", "Bearer "+adminToken)...)
	}
	configuration := body(t, get("/.well-known/openid-configuration"))
	uri, _ := configuration.MemberText("jwks_uri")
	if !strings.HasSuffix(uri, "/openid/v1/jwks") || !strings.HasPrefix(uri, "http://") {
		t.Fatalf("the keys are at %q", uri)
	}
	w := get("/openid/v1/jwks")
	if got := w.Header().Get("Content-Type"); got != "application/jwk-set+json" {
		t.Errorf("Content-Type is %q", got)
	}
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal(w.Body.Bytes(), &keys); err != nil || len(keys.Keys) != 1 || !keys.Keys[0].IsPublic() {
		t.Fatalf("%v: %s", err, w.Body)
	}
	signed, err := jose.ParseSignedCompact(a.token("a", "{}"), []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		t.Fatal(err)
	}
	claims, err := signed.Verify(keys)
	if err != nil {
		t.Fatal(err)
	}
	if issuer, _ := configuration.MemberText("issuer"); !strings.Contains(string(claims), `"iss":"`+issuer+`"`) {
		t.Errorf("the issuer of %s is not %q", claims, issuer)
	}
	for _, c := range []struct {
		why, method, path, accept string
		code                      int
	}{
		{"another type", "GET", "/openid/v1/jwks", "application/yaml", 406},
		{"another method", "POST", "/openid/v1/jwks", "", 405},
		{"a slash at the end, as kube-apiserver allows", "GET", "/openid/v1/jwks/", "", 200},
		{"a path above", "GET", "/openid/v1", "", 404},
		{"the other path", "GET", "/.well-known/", "", 404},
	} {
		if got := ask(a.s, c.method, c.path, "", "Accept", c.accept, "Authorization", "Bearer "+adminToken).Code; got != c.code {
			t.Errorf("%s: %d, want %d", c.why, got, c.code)
		}
	}
	if got := ask(a.s, "GET", "/openid/v1/jwks", "").Code; got != 401 {
		t.Errorf("without the token of the server: %d, want 401", got)
	}
	if got := ask(local(t, Options{}), "GET", "/openid/v1/jwks", "").Code; got != 404 {
		t.Errorf("without tokens: %d, want 404", got)
	}
}

// onlyVersion is an Authorizer that records users and lets them read /version.
type onlyVersion struct{ users *[]string }

func (o onlyVersion) Authorize(_ context.Context, r *cluster.Request) error {
	*o.users = append(*o.users, r.User.Name)
	return &cluster.Status{Code: 403, Reason: cluster.ReasonForbidden}
}

func (o onlyVersion) AuthorizePath(_ context.Context, u, _ cluster.User, _, path string) error {
	if *o.users = append(*o.users, u.Name); path != "/version" {
		return &cluster.Status{Code: 403, Reason: cluster.ReasonForbidden}
	}
	return nil
}

// With an Authorizer, a request without a token is one of system:anonymous, and not answered with 401.
func TestRequestsWithoutATokenAreAnonymous(t *testing.T) {
	var users []string
	s := local(t, Options{Token: "secret", Authorizer: onlyVersion{&users}, User: cluster.User{Name: "admin"}})
	for _, c := range []struct {
		path, header string
		code         int
		user         string
	}{
		{"/version", "", 200, names.Anonymous}, {"/version", "Basic YTpi", 200, names.Anonymous}, {"/metrics", "", 403, names.Anonymous},
		{"/version", "Bearer secret", 200, "admin"}, {"/version", "Bearer other", 401, ""},
	} {
		users = nil
		got := ask(s, "GET", c.path, "", "Authorization", c.header)
		if user := strings.Join(users, " "); got.Code != c.code || user != c.user {
			t.Errorf("%s with %q: %d as %q, want %d as %q", c.path, c.header, got.Code, user, c.code, c.user)
		}
	}
}
