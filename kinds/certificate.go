//go:build !js

package kinds

import (
	"encoding/base64"
	"time"
)

// Certificates (RFC 5280) and requests for them (RFC 2986) are read as far as the validation
// needs them: their structure, but no names, extensions other than the basic constraints, or
// signatures. crypto/x509 would be a large part of every program that imports this package.

// certificateBlock is the type of the PEM blocks of certificates.
const certificateBlock = "CERTIFICATE"

// A certificate is what the validation uses of an X.509 certificate.
type certificate struct {
	authority           bool // it may sign others
	notBefore, notAfter time.Time
	key                 string // the subject's public key with its algorithm
}

// The tags of ASN.1 that certificates contain.
const (
	tagBoolean    = 0x01
	tagInteger    = 0x02
	tagBits       = 0x03
	tagOctets     = 0x04
	tagObject     = 0x06
	tagTime       = 0x17 // with two digits for the year
	tagTimeLong   = 0x18
	tagSequence   = 0x30
	tagIssuerID   = 0x81
	tagSubjectID  = 0x82
	tagVersion    = 0xa0
	tagExtensions = 0xa3
)

// A derReader reads the elements of a DER encoding in order. After a wrong one, failed is true
// in the reader and all those within it.
type derReader struct {
	rest   string
	failed *bool
}

func newDERReader(der string) derReader { return derReader{der, new(bool)} }

// take returns the contents of the next element, which must have the tag.
func (r *derReader) take(tag byte) string {
	contents, after, ok := derElement(r.rest, tag)
	if !ok {
		*r.failed = true
	}
	r.rest = after
	return contents
}

// optional returns the contents of the next element if it has the tag, and otherwise "".
func (r *derReader) optional(tag byte) string {
	if r.rest == "" || r.rest[0] != tag {
		return ""
	}
	return r.take(tag)
}

// within returns a reader of the contents of the next element, which must have the tag.
func (r *derReader) within(tag byte) derReader { return derReader{r.take(tag), r.failed} }

// end requires that nothing follows.
func (r *derReader) end() {
	if r.rest != "" {
		*r.failed = true
	}
}

// derElement returns the contents of the first element, and what follows it.
func derElement(der string, tag byte) (contents, after string, ok bool) {
	if len(der) < 2 || der[0] != tag {
		return "", "", false
	}
	length, der := int(der[1]), der[2:]
	if length >= 0x80 { // the number of bytes of the length
		n := length - 0x80
		if n < 1 || n > 3 || len(der) < n || der[0] == 0 {
			return "", "", false
		}
		length = 0
		for i := range n {
			length = length<<8 | int(der[i])
		}
		if der = der[n:]; length < 0x80 {
			return "", "", false
		}
	}
	if len(der) < length {
		return "", "", false
	}
	return der[:length], der[length:], true
}

// parseCertificate reads a certificate in DER.
func parseCertificate(der []byte) (out certificate, ok bool) {
	all := newDERReader(string(der))
	whole := all.within(tagSequence)
	all.end()
	signed := whole.within(tagSequence)
	algorithm := whole.take(tagSequence)
	whole.take(tagBits)
	signed.optional(tagVersion)
	signed.take(tagInteger)
	sameAlgorithm := signed.take(tagSequence) == algorithm
	signed.take(tagSequence) // the issuer
	validity := signed.within(tagSequence)
	out.notBefore, out.notAfter = validity.time(), validity.time()
	signed.take(tagSequence) // the subject
	out.key = signed.take(tagSequence)
	signed.optional(tagIssuerID)
	signed.optional(tagSubjectID)
	if extensions := signed.optional(tagExtensions); extensions != "" {
		out.authority = (&derReader{extensions, signed.failed}).authority()
	}
	return out, sameAlgorithm && !*all.failed
}

// time reads a point in time.
func (r *derReader) time() time.Time {
	tag, layout := byte(tagTime), "060102150405Z"
	if r.rest != "" && r.rest[0] == tagTimeLong {
		tag, layout = tagTimeLong, "20060102150405Z"
	}
	t, err := time.Parse(layout, r.take(tag))
	if err != nil {
		*r.failed = true
	}
	if tag == tagTime && t.Year() >= 2050 {
		t = t.AddDate(-100, 0, 0)
	}
	return t
}

// authority reads extensions and reports whether the basic constraints are among them and name
// an authority.
func (r *derReader) authority() (is bool) {
	const basicConstraints = "\x55\x1d\x13" // 2.5.29.19
	list := r.within(tagSequence)
	for list.rest != "" && !*r.failed {
		extension := list.within(tagSequence)
		id := extension.take(tagObject)
		extension.optional(tagBoolean) // whether it is critical
		value := extension.within(tagOctets)
		if id != basicConstraints {
			continue
		}
		constraints := value.within(tagSequence)
		is = constraints.optional(tagBoolean) == "\xff"
		constraints.optional(tagInteger)
	}
	return is
}

// requestedKey reads a base64 certificate request and returns the public key in it.
func requestedKey(text string) (key string, ok bool) {
	der, err := base64.StdEncoding.DecodeString(text)
	all := newDERReader(string(der))
	whole := all.within(tagSequence)
	all.end()
	signed := whole.within(tagSequence)
	whole.take(tagSequence) // the algorithm
	whole.take(tagBits)
	signed.take(tagInteger)
	signed.take(tagSequence) // the subject
	key = signed.take(tagSequence)
	return key, err == nil && !*all.failed
}

// The algorithms of public keys, and the curves of elliptic ones.
const (
	keyEd25519  = "\x2b\x65\x70"                         // 1.3.101.112
	keyElliptic = "\x2a\x86\x48\xce\x3d\x02\x01"         // 1.2.840.10045.2.1
	keyRSA      = "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01" // 1.2.840.113549.1.1.1
	curveP256   = "\x2a\x86\x48\xce\x3d\x03\x01\x07"     // 1.2.840.10045.3.1.7
	curveP384   = "\x2b\x81\x04\x00\x22"                 // 1.3.132.0.34
	curveP521   = "\x2b\x81\x04\x00\x23"                 // 1.3.132.0.35
)

// unsupportedKey returns why the pod of a PodCertificateRequest cannot have a public key, "" if
// it can.
func unsupportedKey(key string) string {
	r := newDERReader(key)
	algorithm, bits := r.within(tagSequence), r.take(tagBits)
	switch algorithm.take(tagObject) {
	case keyEd25519:
	case keyElliptic:
		switch algorithm.take(tagObject) {
		case curveP256, curveP384, curveP521:
		default:
			return "elliptic public keys must use curve P256, P384, or P521"
		}
	case keyRSA:
		if bits == "" {
			return "the RSA key is empty"
		}
		numbers := newDERReader(bits[1:]) // without the number of unused bits
		number := numbers.within(tagSequence)
		modulus := number.take(tagInteger)
		if modulus != "" && modulus[0] == 0 { // it is positive
			modulus = modulus[1:]
		}
		if len(modulus) != 3072/8 && len(modulus) != 4096/8 {
			return "RSA keys must have modulus size 3072 or 4096"
		}
	default:
		return "unknown public key type; supported types are Ed25519, ECDSA, and RSA"
	}
	return ""
}
