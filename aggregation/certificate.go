package aggregation

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// proxyName is the name in the client certificate with which requests are forwarded, as kubeadm calls it.
const proxyName = "front-proxy-client"

// certificateLife is how long the client certificate and its authority are valid. They are made anew whenever the
// server starts.
const certificateLife = 365 * 24 * time.Hour

// proxyCertificate returns a client certificate and, in PEM, the authority that has signed it. Extension API servers
// believe the headers that name the user of a request only from a client with such a certificate.
func proxyCertificate() (client tls.Certificate, authority []byte, err error) {
	now := time.Now() // not the cluster's clock: extension API servers compare with theirs
	ca := &x509.Certificate{
		Subject: pkix.Name{CommonName: "patchlab-front-proxy-ca"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLife),
		KeyUsage: x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
	}
	leaf := &x509.Certificate{
		Subject: pkix.Name{CommonName: proxyName}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return client, nil, fmt.Errorf("creating the key of the front proxy's authority: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return client, nil, fmt.Errorf("creating the key of the front proxy: %w", err)
	}
	signed, err := signedBy(ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return client, nil, err
	}
	if ca, err = x509.ParseCertificate(signed); err != nil { // with the identifier of its key
		return client, nil, fmt.Errorf("creating the certificate of the front proxy's authority: %w", err)
	}
	raw, err := signedBy(leaf, ca, &key.PublicKey, caKey)
	if err != nil {
		return client, nil, err
	}
	client = tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
	return client, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), nil
}

func signedBy(template, parent *x509.Certificate, public *ecdsa.PublicKey, key *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("creating a serial number: %w", err)
	}
	template.SerialNumber = serial
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return nil, fmt.Errorf("creating a certificate for %s: %w", template.Subject.CommonName, err)
	}
	return raw, nil
}
