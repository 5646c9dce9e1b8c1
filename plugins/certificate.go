package plugins

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// clientSigner signs certificates of API clients.
const clientSigner = "kubernetes.io/kube-apiserver-client"

// checkSubject refuses requests for a client certificate that makes its owner a member of
// system:masters.
func checkSubject(c *call) *cluster.Status {
	if !c.creates("certificates.k8s.io", "certificatesigningrequests") || c.Object.Lookup("spec", "signerName").StringOr("") != clientSigner {
		return nil
	}
	request, err := parseRequest(c.Object.Lookup("spec", "request").StringOr(""))
	if err != nil {
		return c.Forbid("failed to parse CSR: " + err.Error())
	}
	if slices.Contains(request.Subject.Organization, names.Superusers) {
		return c.Forbid("use of " + clientSigner + " signer with " + names.Superusers + " group is not allowed")
	}
	return nil
}

// parseRequest decodes the field request: a PEM block in base64.
func parseRequest(encoded string) (*x509.CertificateRequest, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	return x509.ParseCertificateRequest(block.Bytes)
}
