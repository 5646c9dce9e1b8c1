package controllers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// authority returns the certificate of an authority in PEM.
func authority(t *testing.T, end time.Time) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: end.AddDate(-1, 0, 0), NotAfter: end, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestPublishAuthorities starts servers with different authorities over one store. Those of earlier servers stay
// until they have expired, and a server with known ones writes nothing.
func TestPublishAuthorities(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	c, err := cluster.New(cluster.Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	soon, first, second := authority(t, now.Add(time.Hour)), authority(t, now.AddDate(1, 0, 0)), authority(t, now.AddDate(1, 0, 0))
	version := ""
	for _, step := range []struct {
		why, authorities, want string
		after                  time.Duration
		kept                   bool // the ConfigMap is not written
	}{
		{why: "a new store", authorities: "# the first\n" + soon + first, want: soon + first},
		{why: "the same authorities", authorities: soon + first, want: soon + first, kept: true},
		{why: "one of them", authorities: first, want: soon + first, kept: true},
		{why: "another authority", authorities: second, want: soon + first + second},
		{why: "one has just expired", authorities: second, want: soon + first + second, after: time.Hour + time.Minute, kept: true},
		{why: "one has expired", authorities: second, want: first + second, after: time.Hour},
	} {
		now = now.Add(step.after)
		if err := PublishAuthorities(t.Context(), c, Authorities{Clients: []byte(step.authorities)}); err != nil {
			t.Fatalf("%s: %v", step.why, err)
		}
		got, err := c.Do(t.Context(), &cluster.Request{Version: "v1", Resource: "configmaps", Namespace: "kube-system", Name: "extension-apiserver-authentication"})
		if err != nil {
			t.Fatalf("%s: %v", step.why, err)
		}
		if data := got.Object.Lookup("data", "client-ca-file").StringOr(""); data != step.want {
			t.Errorf("%s: got\n%s\nwant\n%s", step.why, data, step.want)
		}
		is := got.Object.Lookup("metadata", "resourceVersion").StringOr("")
		if (is == version) != step.kept {
			t.Errorf("%s: the resourceVersion was %q and is %q", step.why, version, is)
		}
		version = is
	}
}

// TestPublishFrontProxies: the ConfigMap has the keys that kube-apiserver 1.36.3 writes with --requestheader-client-ca-file,
// and the authorities of a bounded number of servers.
func TestPublishFrontProxies(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	clients, proxies := authority(t, time.Now().AddDate(1, 0, 0)), ""
	for i := range maxProxies + 2 {
		next := authority(t, time.Now().AddDate(1, 0, 0))
		if i >= 2 {
			proxies += next
		}
		published := Authorities{Proxies: []byte(next), ProxyNames: []string{"front-proxy-client"}}
		if i == 0 {
			published.Clients = []byte(clients)
		}
		if err := PublishAuthorities(t.Context(), c, published); err != nil {
			t.Fatal(err)
		}
	}
	got, err := c.Do(t.Context(), &cluster.Request{Version: "v1", Resource: "configmaps", Namespace: "kube-system", Name: "extension-apiserver-authentication"})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"client-ca-file": clients, "requestheader-client-ca-file": proxies,
		"requestheader-allowed-names": `["front-proxy-client"]`, "requestheader-username-headers": `["X-Remote-User"]`,
		"requestheader-uid-headers": `["X-Remote-Uid"]`, "requestheader-group-headers": `["X-Remote-Group"]`,
		"requestheader-extra-headers-prefix": `["X-Remote-Extra-"]`,
	} {
		if has := got.Object.Lookup("data", key).StringOr(""); has != want {
			t.Errorf("%s: got\n%s\nwant\n%s", key, has, want)
		}
	}
}
