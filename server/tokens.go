package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"sync"

	"github.com/go-jose/go-jose/v4"

	"github.com/patchlab-dev/patchlab/cluster"
)

// Tokens signs the tokens of service accounts with ES256 (RFC 7518), for [cluster.Config]. Its key
// is created when it is first needed and never leaves the process, so a token is valid until the
// process ends. The zero value is ready to use. It is safe for concurrent use.
type Tokens struct {
	once   sync.Once
	key    *ecdsa.PrivateKey
	signer jose.Signer
	err    error
}

var _ cluster.Tokens = (*Tokens)(nil)

// ready creates the key at the first call.
func (t *Tokens) ready() error {
	t.once.Do(func() {
		if t.key, t.err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); t.err == nil {
			t.signer, t.err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: t.key}, nil)
		}
	})
	return t.err
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
