package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// authority issues certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue returns a certificate from the template with its key, issued by a, or by itself if a is nil.
func (a *authority) issue(t *testing.T, template x509.Certificate) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	parent, signer := &template, key
	if a != nil {
		parent, signer = a.cert, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key}
}

func (a *authority) tls(others ...*authority) tls.Certificate {
	c := tls.Certificate{Certificate: [][]byte{a.cert.Raw}, PrivateKey: a.key}
	for _, o := range others {
		c.Certificate = append(c.Certificate, o.cert.Raw)
	}
	return c
}

// newAuthority returns a certificate authority.
func newAuthority(t *testing.T, issuer *authority, name string) *authority {
	t.Helper()
	return issuer.issue(t, x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
}

// The certificates of clients are those that kube-apiserver 1.36.3 accepts with --client-ca-file,
// and so are the users.
func TestClientCertificates(t *testing.T) {
	const reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	ca := newAuthority(t, nil, "clients")
	inner := newAuthority(t, ca, "clients of a department")
	client := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	ann := pkix.Name{CommonName: "ann", Organization: []string{"dev", "ops"}}
	s, service := newClientServer(t, ca)
	url, _, stop := serve(t, s, true)
	defer stop()
	for _, c := range []struct {
		name        string
		certificate tls.Certificate // none if it is the zero value
		token       string
		user        string // "" for 401
		groups      string
	}{
		{name: "the common name is the user, organizations are groups", user: "ann", groups: `["dev","ops","system:authenticated"]`,
			certificate: ca.issue(t, x509.Certificate{Subject: ann, ExtKeyUsage: client}).tls()},
		{name: "issued by an intermediate authority that the client sends", user: "ann", groups: `["dev","ops","system:authenticated"]`,
			certificate: inner.issue(t, x509.Certificate{Subject: ann, ExtKeyUsage: client}).tls(inner)},
		{name: "the intermediate authority is not sent",
			certificate: inner.issue(t, x509.Certificate{Subject: ann, ExtKeyUsage: client}).tls()},
		{name: "of another authority",
			certificate: newAuthority(t, nil, "clients").issue(t, x509.Certificate{Subject: ann, ExtKeyUsage: client}).tls()},
		{name: "expired",
			certificate: ca.issue(t, x509.Certificate{Subject: ann, ExtKeyUsage: client, NotAfter: time.Now().Add(-time.Minute)}).tls()},
		{name: "for servers",
			certificate: ca.issue(t, x509.Certificate{Subject: ann, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}).tls()},
		{name: "without a common name it names nobody", user: "system:anonymous", groups: `["system:unauthenticated"]`,
			certificate: ca.issue(t, x509.Certificate{Subject: pkix.Name{Organization: []string{"dev"}}, ExtKeyUsage: client}).tls()},
		{name: "no certificate", user: "system:anonymous", groups: `["system:unauthenticated"]`},
		{name: "a certificate precedes a token", user: "ann", token: "none", groups: `["dev","ops","system:authenticated"]`,
			certificate: ca.issue(t, x509.Certificate{Subject: ann, ExtKeyUsage: client}).tls()},
		{name: "a token counts if the certificate is not valid", user: "system:serviceaccount:default:a", token: service,
			groups:      `["system:serviceaccounts","system:serviceaccounts:default","system:authenticated"]`,
			certificate: newAuthority(t, nil, "other").issue(t, x509.Certificate{Subject: ann, ExtKeyUsage: client}).tls()},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := &tls.Config{InsecureSkipVerify: true}
			if c.certificate.Certificate != nil {
				// Unlike Certificates, this also sends one of an authority that the server does not name.
				config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &c.certificate, nil }
			}
			transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
			defer transport.CloseIdleConnections()
			for range 2 { // the second request uses what the first has found out
				r, err := http.NewRequestWithContext(t.Context(), "POST", url+reviews, strings.NewReader(`{}`))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				if c.token != "" {
					r.Header.Set("Authorization", "Bearer "+c.token)
				}
				resp, err := transport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				if c.user == "" {
					if resp.StatusCode != http.StatusUnauthorized {
						t.Errorf("%d %s, want 401", resp.StatusCode, text)
					}
					continue
				}
				review, err := document.Parse(text, document.Options{})
				if err != nil {
					t.Fatal(err)
				}
				user := review.Root.Lookup("status", "userInfo")
				if user.Get("username").StringOr("") != c.user || user.Get("groups").String() != c.groups {
					t.Errorf("the user is %s, want %s in %s", user, c.user, c.groups)
				}
				id := user.Lookup("extra", credentialID).String()
				if want := c.user == "ann"; regexp.MustCompile(`^\["X509SHA256=[0-9a-f]{64}"\]$`).MatchString(id) != want {
					t.Errorf("the credential of %s is %s", c.user, id)
				}
			}
		})
	}
}

// newClientServer returns a server that accepts the certificates of an authority, and a token of a
// service account of that server.
func newClientServer(t *testing.T, clients *authority) (s *Server, token string) {
	t.Helper()
	c, err := cluster.New(cluster.Config{Tokens: &Tokens{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	pool := x509.NewCertPool()
	pool.AddCert(clients.cert)
	s = New(c, Options{VerifyTokens: true, ClientCAs: pool})
	if w := ask(s, "POST", inDefault+"/serviceaccounts", `{"metadata":{"name":"a"}}`); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	w := ask(s, "POST", inDefault+"/serviceaccounts/a/token", `{"spec":{}}`)
	return s, body(t, w).Lookup("status", "token").StringOr("")
}
