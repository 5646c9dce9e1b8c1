package cli

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server with the key of an earlier one accepts its tokens.
func TestServeWithTheKeyOfTokens(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, program := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--admission=false", "--service-account-signing-key-file", key},
		{"serve", "--listen", "127.0.0.1:0", "--admission=false", "--service-account-key-file", key},
	} {
		url, _, stop := startProgram(t, program...)
		resp, err := http.Get(url + "/openid/v1/jwks")
		if keys := bodyOf(t, resp, err); !strings.Contains(keys, `"kty":"RSA"`) {
			t.Errorf("%s: the keys are %s", program[4], keys)
		}
		stop()
	}
}
