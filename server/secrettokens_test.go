package server

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// secretClaims are the claims of the token of service account "a" in Secret "t", as a kube-controller-manager signs them.
func (a *accounts) secretClaims() map[string]string {
	return map[string]string{
		"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:default:a",
		"kubernetes.io/serviceaccount/namespace":            "default",
		"kubernetes.io/serviceaccount/secret.name":          "t",
		"kubernetes.io/serviceaccount/service-account.name": "a",
		"kubernetes.io/serviceaccount/service-account.uid":  a.must("GET", inDefault+"/serviceaccounts/a", "").Lookup("metadata", "uid").StringOr(""),
	}
}

func (a *accounts) sign(claims map[string]string) string {
	a.t.Helper()
	text, err := json.Marshal(claims)
	if err != nil {
		a.t.Fatal(err)
	}
	token, err := a.s.options.Tokens.Sign(text)
	if err != nil {
		a.t.Fatal(err)
	}
	return token
}

// secretToken creates the Secret "t" with a token of the service account "a", which it returns.
func (a *accounts) secretToken() string {
	a.t.Helper()
	token := a.sign(a.secretClaims())
	a.must("POST", inDefault+"/secrets", `{"metadata":{"name":"t","annotations":{"kubernetes.io/service-account.name":"a"}},
		"type":"kubernetes.io/service-account-token","data":{"token":"`+base64.StdEncoding.EncodeToString([]byte(token))+`"}}`)
	return token
}

func (a *accounts) patch(path, patch string) {
	a.t.Helper()
	if w := ask(a.s, "PATCH", path, patch, "Authorization", "Bearer "+adminToken, "Content-Type", "application/merge-patch+json"); w.Code != 200 {
		a.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
}

// The token in a Secret authenticates requests, and its use is recorded, as by kube-apiserver 1.36.3.
func TestTokensOfSecrets(t *testing.T) {
	a := newAccounts(t)
	token := a.secretToken()
	status := a.review(token, `[]`)
	uid := a.must("GET", inDefault+"/serviceaccounts/a", "").Lookup("metadata", "uid").StringOr("")
	want := `{"audiences":["https://kubernetes.default.svc.cluster.local"],"authenticated":true,"user":{"groups":["system:serviceaccounts","system:serviceaccounts:default","system:authenticated"],` +
		`"uid":"` + uid + `","username":"system:serviceaccount:default:a"}}`
	if status.String() != want {
		t.Errorf("the status is %s, want %s", status, want)
	}
	if who := a.who(token); who.String() != status.Get("user").String() {
		t.Errorf("the token authenticates %s", who)
	}
	secret := a.must("GET", inDefault+"/secrets/t", "").Get("metadata")
	if day := secret.Lookup("labels", "kubernetes.io/legacy-token-last-used").StringOr(""); day != a.now.UTC().Format("2006-01-02") {
		t.Errorf("the Secret was last used %q", day)
	}
	entry := secret.Get("managedFields").At(0)
	if got := entry.Get("manager").StringOr("") + " " + entry.Get("fieldsV1").String(); got !=
		`kube-apiserver {"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/legacy-token-last-used":{}}}}` {
		t.Errorf("the label belongs to %s", got)
	}
	if version := secret.Get("resourceVersion"); a.must("GET", inDefault+"/secrets/t", "").Lookup("metadata", "resourceVersion").String() != version.String() {
		t.Error("a second use on one day changes the Secret")
	}
}

// A token in a Secret is refused with kube-apiserver's reason. The answers are those of kube-apiserver 1.36.3, the first
// after ten seconds, for which it remembers a valid token.
func TestInvalidTokensOfSecrets(t *testing.T) {
	without := func(claim string) func(*accounts, string) string {
		return func(a *accounts, _ string) string {
			claims := a.secretClaims()
			delete(claims, claim)
			return a.sign(claims)
		}
	}
	with := func(claim, value string) func(*accounts, string) string {
		return func(a *accounts, _ string) string {
			claims := a.secretClaims()
			claims[claim] = value
			return a.sign(claims)
		}
	}
	const claim = "kubernetes.io/serviceaccount/"
	for _, c := range []struct {
		why       string
		change    func(a *accounts, token string) string // what happens before the review, and the token for it
		audiences string
		want      string
	}{
		{why: "it is for the API only", audiences: `["x"]`, change: func(_ *accounts, token string) string { return token },
			want: `token audiences ["https://kubernetes.default.svc.cluster.local"] is invalid for the target audiences ["x"]`},
		{why: "no subject", change: without("sub"), want: "sub claim is missing"},
		{why: "no namespace", change: without(claim + "namespace"), want: "namespace claim is missing"},
		{why: "no secret", change: without(claim + "secret.name"), want: "secretName claim is missing"},
		{why: "no account", change: without(claim + "service-account.name"), want: "serviceAccountName claim is missing"},
		{why: "no uid", change: without(claim + "service-account.uid"), want: "serviceAccountUID claim is missing"},
		{why: "the subject is another account", change: with("sub", "system:serviceaccount:default:b"), want: "sub claim is invalid"},
		{why: "another Secret", change: with(claim+"secret.name", "none"), want: "Token has been invalidated"},
		{why: "the Secret has another token", change: with(claim+"service-account.uid", "x"), want: "Token does not match server's copy"},
		{why: "the Secret is being deleted", change: func(a *accounts, token string) string {
			a.patch(inDefault+"/secrets/t", `{"metadata":{"finalizers":["a/b"]}}`)
			a.must("DELETE", inDefault+"/secrets/t", "")
			return token
		}, want: "Token has been invalidated"},
		{why: "the account is being deleted", change: func(a *accounts, token string) string {
			a.patch(inDefault+"/serviceaccounts/a", `{"metadata":{"finalizers":["a/b"]}}`)
			a.must("DELETE", inDefault+"/serviceaccounts/a", "")
			return token
		}, want: "ServiceAccount default/a has been deleted"},
		{why: "the account was deleted", change: func(a *accounts, token string) string {
			a.must("DELETE", inDefault+"/serviceaccounts/a", "")
			return token
		}, want: `serviceaccounts "a" not found`},
		{why: "the Secret is marked", change: func(a *accounts, token string) string {
			a.patch(inDefault+"/secrets/t", `{"metadata":{"labels":{"kubernetes.io/legacy-token-invalid-since":"2026-01-01"}}}`)
			return token
		}, want: "the token in secret default/t for service account default/a has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, " +
			"or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token"},
	} {
		t.Run(c.why, func(t *testing.T) {
			a := newAccounts(t)
			token := c.change(a, a.secretToken())
			audiences := c.audiences
			if audiences == "" {
				audiences = `[]`
			}
			want := "[invalid bearer token, " + c.want + "]"
			if status := a.review(token, audiences); status.Get("error").StringOr("") != want || status.Get("authenticated").Exists() {
				t.Errorf("the status is %s, want the error %s", status, want)
			}
			if c.audiences == "" && a.who(token).Exists() {
				t.Error("the token authenticates a request")
			}
		})
	}
}

// A key signs with the algorithm that kube-apiserver uses for it, a token is valid for the servers that have its key, and
// all keys are published.
func TestKeysOfTokens(t *testing.T) {
	key := func(curve elliptic.Curve) crypto.Signer {
		k, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		algorithm string
		key       crypto.Signer
	}{{"RS256", rsaKey}, {"ES256", key(elliptic.P256())}, {"ES384", key(elliptic.P384())}, {"ES512", key(elliptic.P521())}} {
		signer, other := &Tokens{Key: c.key}, &Tokens{}
		verifier := &Tokens{Key: key(elliptic.P256()), VerificationKeys: []crypto.PublicKey{c.key.Public(), c.key.Public()}}
		token, err := signer.Sign([]byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		header, _ := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[0])
		if !strings.Contains(string(header), `"alg":"`+c.algorithm+`"`) {
			t.Errorf("%s: the header is %s", c.algorithm, header)
		}
		for _, valid := range []*Tokens{signer, verifier} {
			if err := valid.Verify(token); err != nil {
				t.Errorf("%s: %v", c.algorithm, err)
			}
		}
		if err := other.Verify(token); err == nil || err.Error() != "invalid signature, no keys found" {
			t.Errorf("%s: another server returns %v", c.algorithm, err)
		}
		if got := len(verifier.keys); got != 2 {
			t.Errorf("%s: %d keys are published, want 2", c.algorithm, got)
		}
	}
	_, edwards, _ := ed25519.GenerateKey(rand.Reader)
	for _, k := range []crypto.Signer{edwards, key(elliptic.P224())} {
		if err := (&Tokens{Key: k}).Check(); err == nil || !strings.Contains(err.Error(), "cannot be used for tokens: expected") {
			t.Errorf("a key of type %T: %v", k, err)
		}
	}
}

// The configuration of the issuer lists the algorithms of all keys.
func TestAlgorithmsOfTheIssuer(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := local(t, Options{Tokens: &Tokens{VerificationKeys: []crypto.PublicKey{rsaKey.Public()}}})
	got := body(t, ask(s, "GET", issuerPath, ""))
	if got.Get("id_token_signing_alg_values_supported").String() != `["ES256","RS256"]` || got.Get("issuer").StringOr("") != cluster.Issuer {
		t.Errorf("the configuration is %s", got)
	}
	if keys := body(t, ask(s, "GET", keysPath, "")).Get("keys"); keys.Len() != 2 || keys.At(1).Get("kty").StringOr("") != "RSA" {
		t.Errorf("the keys are %s", keys)
	}
}
