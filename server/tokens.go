package server

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"sync"

	"github.com/go-jose/go-jose/v4"

	"github.com/patchlab-dev/patchlab/cluster"
)

// Tokens signs the tokens of service accounts with ES256 (RFC 7518), for [cluster.Config]. Its key
// is created when it is first needed and never leaves the process, so a token is valid until the
// process ends. The zero value is ready to use. It is safe for concurrent use.
type Tokens struct {
	// URL is the issuer; "" is [cluster.Issuer].
	URL string

	once   sync.Once
	key    *ecdsa.PrivateKey
	public jose.JSONWebKey
	signer jose.Signer
	err    error
}

var _ cluster.Tokens = (*Tokens)(nil)

// Issuer returns the issuer of the tokens.
func (t *Tokens) Issuer() string { return cmp.Or(t.URL, cluster.Issuer) }

// ready creates the key at the first call.
func (t *Tokens) ready() error {
	t.once.Do(func() { t.err = t.create() })
	return t.err
}

// create creates the key. Its id is a digest of the public key, as in kube-apiserver.
func (t *Tokens) create() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(der)
	id := base64.RawURLEncoding.EncodeToString(digest[:])
	t.key, t.public = key, jose.JSONWebKey{Key: &key.PublicKey, KeyID: id, Algorithm: string(jose.ES256), Use: "sig"}
	t.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
	return err
}

// Sign returns the JSON Web Token with the given claims.
func (t *Tokens) Sign(claims []byte) (string, error) {
	if err := t.ready(); err != nil {
		return "", err
	}
	signed, err := t.signer.Sign(claims)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

// Verify returns an error unless Sign has returned the token.
func (t *Tokens) Verify(token string) error {
	if err := t.ready(); err != nil {
		return err
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return err
	}
	_, err = signed.Verify(&t.key.PublicKey)
	return err
}
