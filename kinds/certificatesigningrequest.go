package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// certificateSigningRequestStrategy is the strategy of certificates.k8s.io/v1 CertificateSigningRequest.
var certificateSigningRequestStrategy = Strategy{
	Group:             "certificates.k8s.io",
	Resource:          "certificatesigningrequests",
	Name:              anyName,
	metadataAgain:     wholeFirst,
	partMetadataAgain: wholeFirst,
	Reset:             []string{"spec", "status"},
	ResetStatus:       []string{"spec", "status.conditions"},
	Selectable: []SelectableField{
		{Label: "spec.signerName"},
	},
}

const keyUsages = "any,cert sign,client auth,code signing,content commitment,crl sign,data encipherment,decipher only,digital signature," +
	"email protection,encipher only,ipsec end system,ipsec tunnel,ipsec user,key agreement,key encipherment,microsoft sgc,netscape sgc," +
	"ocsp signing,s/mime,server auth,signing,timestamping"

// validateCertificateSigningRequest checks that the request and the certificate are PEM
// blocks. It does not decode their contents.
func validateCertificateSigningRequest(c *check, object, old field) {
	spec := object.get("spec")
	usages, signer, seconds := spec.get("usages"), spec.get("signerName"), spec.get("expirationSeconds")
	if request := spec.get("request"); !hasBlock(request.text(), "CERTIFICATE REQUEST") {
		c.invalid(request, "PEM block type must be CERTIFICATE REQUEST")
	}
	if certificate := object.get("status.certificate"); certificate.text() != "" && certificate.text() != old.get("status.certificate").text() && !hasBlock(certificate.text(), "CERTIFICATE") {
		c.invalidText(certificate, "<certificate data>", "must contain at least one CERTIFICATE PEM block")
	}
	if usages.items() == 0 {
		c.required(usages, "")
	}
	var seen seenTexts
	for i := range usages.items() {
		usage := usages.item(i)
		c.oneOf(usage, keyUsages)
		if seen.add(usage.text()) {
			c.duplicate(usage)
		}
	}
	if signer.text() == "kubernetes.io/legacy-unknown" && old.Value.Lookup("spec", "signerName").StringOr("") != signer.text() {
		c.invalid(signer, "the legacy signerName is not allowed via this API version")
	} else {
		c.signerName(signer)
	}
	if seconds.isSet() && seconds.number() < 600 {
		c.invalid(seconds, "may not specify a duration less than 600 seconds (10 minutes)")
	}
	validateRequestConditions(c, object.get("status.conditions"), old.get("status.conditions"))
	if old.isSet() {
		validateRequestUpdate(c, object, old)
	}
}

// signerName requires a domain of at least two labels and a path, such as example.com/signer.
// The path may include the name of a namespace and of an object.
func (c *check) signerName(f field) {
	const maxPath = names.MaxSubdomain + names.MaxLabel + 1
	if !c.need(f) {
		return
	}
	domain, path, found := strings.Cut(f.text(), "/")
	if !found || strings.Contains(path, "/") {
		c.invalid(f, "must be a fully qualified domain and path of the form 'example.com/signer-name'")
		return
	}
	if len(domain) > names.MaxSubdomain {
		c.tooLong(f, names.MaxSubdomain)
	}
	c.everyPart(f, domain, names.DNSLabel)
	if !strings.Contains(domain, ".") {
		c.invalidText(f, domain, "should be a domain with at least two segments separated by dots")
	}
	c.everyPart(f, path, names.DNSSubdomain)
	if limit := names.MaxSubdomain + maxPath + 1; len(f.text()) > limit {
		c.tooLong(f, limit)
	}
}

// everyPart applies a rule to the dot-separated parts of a text, up to the first invalid one.
func (c *check) everyPart(f field, text string, rule func(string) string) {
	for _, part := range strings.Split(text, ".") {
		if why := rule(part); why != "" {
			start := "validating label " + strconv.Quote(part) + ": "
			c.unmetText(f, text, start+strings.ReplaceAll(why, "\n", "\n"+start))
			return
		}
	}
}

func validateRequestConditions(c *check, conditions, old field) {
	var seen seenTexts
	bothStored := hasItemWith(old.Value, "type", "Approved") && hasItemWith(old.Value, "type", "Denied")
	for i := range conditions.items() {
		condition := conditions.item(i)
		kind, status := condition.get("type"), condition.get("status")
		supported := "False,True,Unknown"
		switch kind.text() {
		case "":
			c.required(kind, "")
		case "Approved", "Denied", "Failed":
			supported = "True"
		}
		c.needOneOf(status, supported)
		if opposed := kind.text() == "Approved" && seen.has("Denied") || kind.text() == "Denied" && seen.has("Approved"); opposed && !bothStored {
			const why = "Approved and Denied conditions are mutually exclusive"
			switch {
			case declaredExclusive(c, conditions):
			case c.kind.Since("1.34"):
				c.invalidText(conditions, kind.text(), why)
			default:
				c.invalid(kind, why)
			}
		}
		if seen.add(kind.text()) {
			c.duplicate(kind)
		}
	}
}

// validateRequestUpdate forbids removing the conditions Approved, Denied and Failed, and
// adding Approved or Denied except through the approval subresource.
func validateRequestUpdate(c *check, object, old field) {
	conditions, stored := object.get("status.conditions"), old.get("status.conditions")
	for _, kind := range [...]string{"Approved", "Denied", "Failed"} {
		if conditionsOf(conditions.Value, kind).Len() < conditionsOf(stored.Value, kind).Len() {
			c.forbidden(conditions, "updates may not remove a condition of type "+strconv.Quote(kind))
		}
	}
	for _, kind := range [...]string{"Approved", "Denied"} {
		next, was := conditionsOf(conditions.Value, kind), conditionsOf(stored.Value, kind)
		switch {
		case c.subresource == "approval" || next.Len() < was.Len():
		case next.Len() > was.Len():
			c.forbidden(conditions, "updates may not add a condition of type "+strconv.Quote(kind))
		case !document.Equal(next, was):
			c.forbidden(conditions, "updates may not modify a condition of type "+strconv.Quote(kind))
		}
	}
	certificate, issued := object.get("status.certificate"), old.get("status.certificate")
	switch {
	case certificate.text() == issued.text():
	case c.subresource != "status":
		c.forbidden(certificate, "updates may not set certificate content")
	case !issued.isEmpty():
		c.forbidden(certificate, "updates may not modify existing certificate content")
	}
}

// conditionsOf returns the conditions of a type.
func conditionsOf(conditions document.Value, kind string) document.Value {
	var out document.ListBuilder
	for _, condition := range conditions.Items() {
		if condition.Get("type").StringOr("") == kind {
			out.Append(condition)
		}
	}
	return out.List()
}
