package serving

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/server"
)

// tokenKeys are the flags for the keys of service accounts' tokens, which are those of kube-apiserver.
type tokenKeys struct {
	signing      string
	verification []string
}

const (
	signingKeyFlag      = "service-account-signing-key-file"
	verificationKeyFlag = "service-account-key-file"
)

func (k *tokenKeys) add(f *pflag.FlagSet) {
	f.StringVar(&k.signing, signingKeyFlag, "", "PEM file of the private key (RSA or ECDSA) that signs the tokens of service accounts, so that they remain valid when the server is restarted (default a new key)")
	f.StringArrayVar(&k.verification, verificationKeyFlag, nil, "PEM file of public or private keys (RSA or ECDSA) whose tokens of service accounts are also valid, such as that of a kube-controller-manager (repeatable)")
}

// tokens returns what signs the tokens, with the keys of the files.
func (k *tokenKeys) tokens(issuer string) (*server.Tokens, error) {
	t := &server.Tokens{URL: issuer}
	if k.signing == "" && len(k.verification) == 0 {
		return t, nil
	}
	if k.signing != "" {
		keys, err := readKeys(signingKeyFlag, k.signing, "a private key", privateKey)
		if err != nil {
			return nil, err
		}
		t.Key = keys[0]
	}
	for _, name := range k.verification {
		keys, err := readKeys(verificationKeyFlag, name, "a public or private key", publicKey)
		if err != nil {
			return nil, err
		}
		t.VerificationKeys = append(t.VerificationKeys, keys...)
	}
	if err := t.Check(); err != nil {
		return nil, fmt.Errorf("--%s, --%s: %w", signingKeyFlag, verificationKeyFlag, err)
	}
	return t, nil
}

// readKeys reads the keys of a PEM file. Other blocks, such as the parameters of a curve, are skipped.
func readKeys[K any](flag, name, what string, parse func(der []byte) (K, bool)) ([]K, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--%s %w", flag, manifest.FileError(name, err))
	}
	var keys []K
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if key, ok := parse(block.Bytes); ok {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("--%s %s: expected %s (RSA or ECDSA) in PEM, without a passphrase; 'openssl genrsa -out FILE 2048' creates a private key", flag, name, what)
	}
	return keys, nil
}

// privateKey parses a private key in PKCS #1, SEC 1 or PKCS #8.
func privateKey(der []byte) (crypto.Signer, bool) {
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, true
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key, true
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, false
	}
	switch key := key.(type) {
	case *rsa.PrivateKey:
		return key, true
	case *ecdsa.PrivateKey:
		return key, true
	}
	return nil, false
}

// publicKey parses a public key in PKIX, that of a certificate, or that of a private key.
func publicKey(der []byte) (crypto.PublicKey, bool) {
	if key, ok := privateKey(der); ok {
		return key.Public(), true
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, false
		}
		key = certificate.PublicKey
	}
	switch key.(type) {
	case *rsa.PublicKey, *ecdsa.PublicKey:
		return key, true
	}
	return nil, false
}
