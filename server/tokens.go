package server

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-jose/go-jose/v4"

	"github.com/patchlab-dev/patchlab/cluster"
)

// Tokens signs the tokens of service accounts and checks their signatures (RFC 7515), for
// [cluster.Config]. The zero value is ready to use. It is safe for concurrent use; its fields must not be
// changed after the first call of a method.
type Tokens struct {
	// URL is the issuer; "" is [cluster.Issuer].
	URL string
	// Key signs the tokens: an *[ecdsa.PrivateKey] of the curve P-256, P-384 or P-521, or an *[rsa.PrivateKey].
	// With nil, a key is created when it is first needed. It never leaves the process, so a token is valid
	// until the process ends.
	Key crypto.Signer
	// VerificationKeys are the public keys of further tokens that are valid, such as those that a
	// kube-controller-manager or an earlier server has signed.
	VerificationKeys []crypto.PublicKey

	once   sync.Once
	keys   []jose.JSONWebKey // the public keys, each with another id
	signer jose.Signer
	err    error
}

var _ cluster.Tokens = (*Tokens)(nil)

// Issuer returns the issuer of the tokens.
func (t *Tokens) Issuer() string { return cmp.Or(t.URL, cluster.Issuer) }

// Check returns an error for a key that cannot sign or verify tokens.
func (t *Tokens) Check() error {
	t.once.Do(func() { t.err = t.prepare() })
	return t.err
}

// prepare creates the signer, and the key if there is none.
func (t *Tokens) prepare() error {
	key := t.Key
	if key == nil {
		created, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return err
		}
		key = created
	}
	for _, public := range append([]crypto.PublicKey{key.Public()}, t.VerificationKeys...) {
		k, err := webKey(public)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(t.keys, func(other jose.JSONWebKey) bool { return other.KeyID == k.KeyID }) {
			t.keys = append(t.keys, k)
		}
	}
	var err error
	t.signer, err = jose.NewSigner(jose.SigningKey{
		Algorithm: jose.SignatureAlgorithm(t.keys[0].Algorithm), Key: jose.JSONWebKey{Key: key, KeyID: t.keys[0].KeyID},
	}, nil)
	return err
}

// webKey returns a public key as it is published. Its id is a digest of the key, as in kube-apiserver.
func webKey(public crypto.PublicKey) (jose.JSONWebKey, error) {
	algorithm, err := algorithm(public)
	if err != nil {
		return jose.JSONWebKey{}, err
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return jose.JSONWebKey{}, err
	}
	digest := sha256.Sum256(der)
	id := base64.RawURLEncoding.EncodeToString(digest[:])
	return jose.JSONWebKey{Key: public, KeyID: id, Algorithm: string(algorithm), Use: "sig"}, nil
}

// algorithm returns the algorithm with which kube-apiserver signs by a key (RFC 7518, 3.1).
func algorithm(public crypto.PublicKey) (jose.SignatureAlgorithm, error) {
	switch k := public.(type) {
	case *rsa.PublicKey:
		return jose.RS256, nil
	case *ecdsa.PublicKey:
		switch k.Curve {
		case elliptic.P256():
			return jose.ES256, nil
		case elliptic.P384():
			return jose.ES384, nil
		case elliptic.P521():
			return jose.ES512, nil
		}
		return "", fmt.Errorf("a key of the curve %s cannot be used for tokens: expected P-256, P-384 or P-521", k.Curve.Params().Name)
	}
	return "", fmt.Errorf("a key of type %T cannot be used for tokens: expected RSA or ECDSA", public)
}

// algorithms returns the algorithms of the keys in alphabetical order.
func (t *Tokens) algorithms() []string {
	var names []string
	for _, k := range t.keys {
		names = append(names, k.Algorithm)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Sign returns the JSON Web Token with the given claims.
func (t *Tokens) Sign(claims []byte) (string, error) {
	if err := t.Check(); err != nil {
		return "", err
	}
	signed, err := t.signer.Sign(claims)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

// Verify returns an error unless one of the keys has signed the token. A token that names a key is checked
// with that key only.
func (t *Tokens) Verify(token string) error {
	if err := t.Check(); err != nil {
		return err
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.ES384, jose.ES512})
	if err != nil {
		return err
	}
	id := signed.Signatures[0].Header.KeyID
	err = errors.New("invalid signature, no keys found")
	for i := range t.keys {
		if id != "" && t.keys[i].KeyID != id {
			continue
		}
		if _, err = signed.Verify(t.keys[i].Key); err == nil {
			return nil
		}
	}
	return err
}
