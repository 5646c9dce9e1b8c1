package kinds

import (
	"encoding/base64"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// noCertificates is what kube-apiserver finds wrong with a bundle of certificates
// that has none.
const noCertificates = "unable to load root certificates: unable to parse bytes as PEM block"

// InvalidCABundle reports whether the webhook that converts a
// CustomResourceDefinition's objects has a bundle of certificates without any. Only
// the form of PEM is checked, not the certificates themselves.
func InvalidCABundle(crd document.Value) bool {
	conversion := crd.Lookup("spec", "conversion")
	bundle := conversion.Lookup("webhook", "clientConfig", "caBundle").StringOr("")
	return conversion.Get("strategy").StringOr("") == "Webhook" && bundle != "" && !hasCertificate(bundle)
}

// hasCertificate reports whether text, in base64, contains a PEM block of a
// certificate.
func hasCertificate(text string) bool { return hasBlock(text, "CERTIFICATE") }

// hasBlock reports whether text, in base64, contains a PEM block of a type without
// headers. What is encoded in it is not read.
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
