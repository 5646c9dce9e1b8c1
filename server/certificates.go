package server

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"net"
	"net/http"
	"sync"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// credentialID is the key of a user's extra fields with the hash of its certificate (KEP-4193,
// stable since Kubernetes 1.32).
const credentialID = names.TokenExtra + "credential-id"

// certified is the user of the client certificate of a connection. It is verified with the first
// request, as kube-apiserver answers a certificate that it does not trust with 401 instead of
// refusing the connection.
type certified struct {
	once sync.Once
	user cluster.User // without a name if the certificate has none
	err  error
}

// certifiedKey is the key, in the context of a connection, of its *certified.
type certifiedKey struct{}

// certify is the http.Server's ConnContext hook of a server with Options.ClientCAs.
func certify(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, certifiedKey{}, &certified{})
}

// certificateUser returns the user of the client certificate of a request, and false if there is
// none. An error means that the certificate is not valid.
func (s *Server) certificateUser(r *http.Request) (cluster.User, bool, error) {
	c, ok := r.Context().Value(certifiedKey{}).(*certified)
	if !ok || r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return cluster.User{}, false, nil
	}
	c.once.Do(func() { c.user, c.err = s.verify(r.TLS) })
	return c.user, c.err == nil && c.user.Name != "", c.err
}

// verify returns the user that a client certificate names: its common name, with its organizations
// as groups.
func (s *Server) verify(state *tls.ConnectionState) (cluster.User, error) {
	leaf := state.PeerCertificates[0]
	intermediates := x509.NewCertPool()
	for _, c := range state.PeerCertificates[1:] {
		intermediates.AddCert(c)
	}
	_, err := leaf.Verify(x509.VerifyOptions{
		Roots: s.options.ClientCAs, Intermediates: intermediates, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return cluster.User{}, err
	}
	hash := sha256.Sum256(leaf.Raw)
	return cluster.User{
		Name: leaf.Subject.CommonName, Groups: withGroup(leaf.Subject.Organization, names.Authenticated),
		Extra: map[string][]string{credentialID: {"X509SHA256=" + hex.EncodeToString(hash[:])}},
	}, nil
}
