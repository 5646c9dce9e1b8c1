package serving

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/server"
)

// pemFile writes a file of PEM blocks, given as type and content in turn.
func pemFile(t *testing.T, blocks ...any) string {
	t.Helper()
	var data []byte
	for i := 0; i < len(blocks); i += 2 {
		data = append(data, pem.EncodeToMemory(&pem.Block{Type: blocks[i].(string), Bytes: blocks[i+1].([]byte)})...)
	}
	name := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func made[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The files of keys have the forms that kube-apiserver accepts.
func TestTokenKeys(t *testing.T) {
	rsaKey := made(rsa.GenerateKey(rand.Reader, 2048))
	ecKey := made(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	_, edwards, _ := ed25519.GenerateKey(rand.Reader)
	pkcs1, sec1 := x509.MarshalPKCS1PrivateKey(rsaKey), made(x509.MarshalECPrivateKey(ecKey))
	pkcs8, wrong := made(x509.MarshalPKCS8PrivateKey(ecKey)), made(x509.MarshalPKCS8PrivateKey(edwards))
	certificate := made(server.SelfSigned(time.Now(), "localhost"))
	certified, _ := pem.Decode(certificate.PEM)
	for _, c := range []struct {
		why     string
		keys    tokenKeys
		signing crypto.PublicKey   // nil for one that is created
		further []crypto.PublicKey // nil if the flags are refused
		want    string             // in the error
	}{
		{why: "without files", further: []crypto.PublicKey{}},
		{why: "RSA in PKCS #1, as openssl genrsa -traditional writes it", keys: tokenKeys{signing: pemFile(t, "RSA PRIVATE KEY", pkcs1)}, signing: rsaKey.Public(), further: []crypto.PublicKey{}},
		{why: "an elliptic curve after its parameters, as openssl ecparam -genkey writes it", keys: tokenKeys{signing: pemFile(t, "EC PARAMETERS", []byte{6, 5}, "EC PRIVATE KEY", sec1)},
			signing: ecKey.Public(), further: []crypto.PublicKey{}},
		{why: "PKCS #8", keys: tokenKeys{signing: pemFile(t, "PRIVATE KEY", pkcs8)}, signing: ecKey.Public(), further: []crypto.PublicKey{}},
		{why: "public keys, a certificate and private keys verify", keys: tokenKeys{verification: []string{
			pemFile(t, "PUBLIC KEY", made(x509.MarshalPKIXPublicKey(rsaKey.Public())), "CERTIFICATE", certified.Bytes), pemFile(t, "EC PRIVATE KEY", sec1)}},
			further: []crypto.PublicKey{rsaKey.Public(), made(x509.ParseCertificate(certified.Bytes)).PublicKey, ecKey.Public()}},
		{why: "a public key cannot sign", keys: tokenKeys{signing: pemFile(t, "PUBLIC KEY", made(x509.MarshalPKIXPublicKey(rsaKey.Public())))},
			want: "key.pem: expected a private key (RSA or ECDSA) in PEM, without a passphrase"},
		{why: "another kind of key", keys: tokenKeys{verification: []string{pemFile(t, "PRIVATE KEY", wrong)}}, want: "key.pem: expected a public or private key (RSA or ECDSA)"},
		{why: "no PEM", keys: tokenKeys{signing: pemFile(t)}, want: "--service-account-signing-key-file"},
		{why: "a missing file", keys: tokenKeys{verification: []string{"none.pem"}}, want: "--service-account-key-file none.pem: no such file"},
		{why: "a curve that RFC 7518 does not have", keys: tokenKeys{signing: pemFile(t, "EC PRIVATE KEY", made(x509.MarshalECPrivateKey(made(ecdsa.GenerateKey(elliptic.P224(), rand.Reader)))))},
			want: "a key of the curve P-224 cannot be used for tokens: expected P-256, P-384 or P-521"},
	} {
		tokens, err := c.keys.tokens("")
		if c.further == nil {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: the error is %v, want %q", c.why, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		type comparable interface{ Equal(crypto.PublicKey) bool }
		if (tokens.Key == nil) != (c.signing == nil) || c.signing != nil && !c.signing.(comparable).Equal(tokens.Key.Public()) {
			t.Errorf("%s: another key signs", c.why)
		}
		if len(tokens.VerificationKeys) != len(c.further) {
			t.Errorf("%s: %d keys, want %d", c.why, len(tokens.VerificationKeys), len(c.further))
			continue
		}
		for i, key := range tokens.VerificationKeys {
			if !c.further[i].(comparable).Equal(key) {
				t.Errorf("%s: key %d is another one", c.why, i)
			}
		}
	}
}
