package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// podCertificateRequestStrategy is the strategy of certificates.k8s.io/v1 PodCertificateRequest.
var podCertificateRequestStrategy = Strategy{
	Group:          "certificates.k8s.io",
	Resource:       "podcertificaterequests",
	Name:           subdomainName,
	RequireVersion: true,
	Reset:          []string{},
	ResetStatus:    []string{"spec"},
	Selectable: []SelectableField{
		{Label: "spec.nodeName"},
		{Label: "spec.podName"},
		{Label: "spec.signerName"},
	},
	since: "1.37", // writes own no field that they reset
	later: func(s *Strategy) {
		s.Reset, s.ResetStatus = []string{"status"}, []string{"metadata", "spec"}
	},
}

// validatePodCertificateRequest validates a new request. An existing one cannot change, except
// for its status.
func validatePodCertificateRequest(c *check, object, old field) {
	spec := object.get("spec")
	if old.isSet() {
		c.immutable(spec, old.get("spec"))
		return
	}
	signer, seconds := spec.get("signerName"), spec.get("maxExpirationSeconds")
	c.signerName(signer)
	c.userAnnotations(spec.get("unverifiedUserAnnotations"))
	for _, of := range [...]string{"pod", "serviceAccount", "node"} {
		c.syntax(spec.get(of+"Name"), names.DNSSubdomain)
		c.requestedUID(spec.get(of + "UID"))
	}
	if !c.need(seconds) {
		return
	}
	const hour = 60 * 60
	longest := int64(91 * 24 * hour)
	if domain, _, _ := strings.Cut(signer.text(), "/"); domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io") {
		longest = 24 * hour
	}
	if n := seconds.number(); n < hour || n > longest {
		c.invalid(seconds, "must be in the range ["+strconv.Itoa(hour)+", "+strconv.FormatInt(longest, 10)+"]")
	}
	c.requestedKey(spec)
}

// userAnnotations validates annotations whose keys must have a domain. Errors are reported for
// the map.
func (c *check) userAnnotations(f field) {
	size := 0
	for i := range f.members() {
		key := strings.ToLower(f.Key(i))
		size += len(key) + len(f.At(i).StringOr(""))
		switch why := names.QualifiedName(key); {
		case key == "":
			c.required(f, "")
		case why != "":
			c.unmetText(f, key, why)
		case !strings.Contains(key, "/"):
			c.invalidText(f, key, `must be a domain-prefixed key (such as "acme.io/foo")`)
		}
	}
	if size > maxAnnotations {
		c.tooLong(f, maxAnnotations)
	}
}

func (c *check) requestedUID(f field) {
	if f.text() == "" {
		c.invalidText(f, "", "must not be empty")
	}
	c.maxBytes(f, 128)
}

// requestedKey requires a certificate request or, before v1, a public key and its signature. That
// the request and the signature are signed with the key is not checked.
func (c *check) requestedKey(spec field) {
	request, key, proof := spec.get("stubPKCS10Request"), spec.get("pkixPublicKey"), spec.get("proofOfPossession")
	asRequest, asKey := !request.isEmpty(), !key.isEmpty() && !proof.isEmpty()
	if asRequest == asKey || asRequest && !(key.isEmpty() && proof.isEmpty()) {
		c.invalidAlone(spec, "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set")
		return
	}
	for _, f := range [...]field{request, key, proof} {
		if DecodedLen(f.text()) > maxRawBytes {
			c.tooLong(f, maxRawBytes)
			return
		}
	}
	if !asRequest {
		return
	}
	c.certificateRequest(request)
}

const finalConditions = "Denied,Failed,Issued"

// validatePodCertificateRequestStatus permits one change of the status: to a final condition. It
// is not validated if the metadata, whose errors are reported elsewhere, has changed.
func validatePodCertificateRequestStatus(c *check, object, old field) {
	if c.metadataChange(object.get("metadata"), old.get("metadata")); len(c.errs) > 0 {
		c.errs = c.errs[:0]
		return
	}
	status, was := object.get("status"), old.get("status")
	conditions := status.get("conditions")
	final := ""
	for i := range conditions.items() {
		// The names of these fields have a dot before the index.
		condition := status.getAs("conditions", "conditions.["+strconv.Itoa(i)+"]")
		kind, value := conditions.At(i).Get("type").StringOr(""), conditions.At(i).Get("status").StringOr("")
		if !among(kind, finalConditions) {
			c.addValue(schema.ErrorNotSupported, condition.get("type"), kind, supportedValues(finalConditions))
			continue
		}
		if final != "" {
			c.invalidText(condition.get("type"), kind, "There may be at most one condition with type \"Issued\", \"Denied\", or \"Failed\"")
		}
		final = kind
		if value != "True" {
			c.addValue(schema.ErrorNotSupported, condition.get("status"), value, supportedValues("True"))
		}
	}
	c.conditions(conditions)
	switch {
	case len(c.errs) > 0:
	case was.get("conditions").items() > 0:
		if !c.same(status, was) {
			c.invalidText(status, valueOmitted, "immutable after PodCertificateRequest is issued, denied, or failed")
		}
	case final == "Issued":
		c.issued(object.get("spec"), status)
	case final != "":
		for _, name := range [...]string{"certificateChain", "notBefore", "beginRefreshAt", "notAfter"} {
			if !status.get(name).isEmpty() {
				c.invalidText(status, valueOmitted, "non-condition status fields must be empty when denying or failing the PodCertificateRequest")
				break
			}
		}
	case !c.same(status, was):
		c.invalidText(status, valueOmitted, `status is immutable unless transitioning to "Issued", "Denied", or "Failed"`)
	}
}
