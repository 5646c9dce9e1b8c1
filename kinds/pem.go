package kinds

import (
	"encoding/base64"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// noCertificates is kube-apiserver's message for a CA bundle without certificates.
const noCertificates = "unable to load root certificates: unable to parse bytes as PEM block"

// InvalidCABundle reports whether the CA bundle of a CustomResourceDefinition's conversion
// webhook contains no certificate. Only the PEM encoding is checked, not the certificates
// themselves.
func InvalidCABundle(crd document.Value) bool {
	conversion := crd.Lookup("spec", "conversion")
	bundle := conversion.Lookup("webhook", "clientConfig", "caBundle").StringOr("")
	return conversion.Get("strategy").StringOr("") == "Webhook" && bundle != "" && !hasCertificate(bundle)
}

// hasCertificate reports whether a base64 text contains a PEM block of type CERTIFICATE.
func hasCertificate(text string) bool { return hasBlock(text, "CERTIFICATE") }

// hasBlock reports whether a base64 text contains a PEM block of the given type without
// headers. The contents of the block are not decoded.
func hasBlock(text, kind string) bool {
	pem, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	_, rest, found := strings.Cut(strings.ReplaceAll(string(pem), "\r\n", "\n"), "-----BEGIN "+kind+"-----\n")
	body, _, closed := strings.Cut(rest, "-----END "+kind+"-----")
	if !found || !closed {
		return false
	}
	_, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(body, "\n", ""))
	return err == nil
}
