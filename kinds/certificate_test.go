//go:build !js

package kinds

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"math/big"
	"testing"
	"time"
)

// TestCertificatesAreReadLikeX509: whatever crypto/x509 accepts is read, with the same result. Each
// certificate and request is also read with every bit of it changed.
func TestCertificatesAreReadLikeX509(t *testing.T) {
	for name, key := range signers(t) {
		now := time.Now().Truncate(time.Second)
		for _, end := range []time.Time{now.Add(time.Hour), time.Date(2055, 1, 2, 3, 4, 5, 0, time.UTC)} {
			for _, authority := range []bool{true, false} {
				template := &x509.Certificate{
					SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: now, NotAfter: end,
					IsCA: authority, BasicConstraintsValid: true, DNSNames: []string{"a.example.com"}, KeyUsage: x509.KeyUsageCertSign,
				}
				der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
				if err != nil {
					t.Fatal(err)
				}
				if read, ok := parseCertificate(der); !ok || read.authority != authority {
					t.Fatalf("%s: an authority %v, read %v", name, read.authority, ok)
				}
				eachChange(der, func(der []byte) { compareCertificate(t, name, der) })
			}
		}
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
		if err != nil {
			t.Fatal(err)
		}
		want := unsupported(key.Public())
		if read, ok := requestedKey(base64.StdEncoding.EncodeToString(der)); !ok || (unsupportedKey(read) != "") != want {
			t.Errorf("%s: read %v, %q, want an unsupported key: %v", name, ok, unsupportedKey(read), want)
		}
		eachChange(der, func(der []byte) {
			_, err := x509.ParseCertificateRequest(der)
			read, ok := requestedKey(base64.StdEncoding.EncodeToString(der))
			unsupportedKey(read) // does not panic
			if err == nil && !ok {
				t.Errorf("%s: a request is not read: %x", name, der)
			}
		})
	}
}

func signers(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	keys := map[string]crypto.Signer{}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys["Ed25519"] = edwards
	for _, curve := range []elliptic.Curve{elliptic.P224(), elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		if keys[curve.Params().Name], err = ecdsa.GenerateKey(curve, rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	for bits, name := range map[int]string{2048: "RSA 2048", 3072: "RSA 3072"} {
		if keys[name], err = rsa.GenerateKey(rand.Reader, bits); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

func unsupported(key crypto.PublicKey) bool {
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		return key.Curve == elliptic.P224()
	case *rsa.PublicKey:
		return key.N.BitLen() < 3072
	}
	return false
}

// eachChange calls do with der itself, with each bit of it changed, and with each of its beginnings.
func eachChange(der []byte, do func([]byte)) {
	do(der)
	for i := range der {
		for bit := range 8 {
			changed := bytes.Clone(der)
			changed[i] ^= 1 << bit
			do(changed)
		}
		do(der[:i])
	}
}

func compareCertificate(t *testing.T, name string, der []byte) {
	t.Helper()
	want, err := x509.ParseCertificate(der)
	got, ok := parseCertificate(der)
	unsupportedKey(got.key) // does not panic
	if err != nil {
		return
	}
	if !ok || !got.notBefore.Equal(want.NotBefore) || !got.notAfter.Equal(want.NotAfter) || want.IsCA && !got.authority {
		t.Errorf("%s: read %v: from %v until %v, an authority %v; want %v, %v, %v: %x",
			name, ok, got.notBefore, got.notAfter, got.authority, want.NotBefore, want.NotAfter, want.IsCA, der)
	}
}
