package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// projectedPaths collects the paths of the files in a projected volume, which must be unique.
type projectedPaths struct {
	*check
	volume field
	seen   seenTexts
}

// add adds a path; shown is the value in the message about a second one.
func (p *projectedPaths) add(path, shown string) {
	if p.seen.add(path) {
		p.invalidText(p.volume, shown, "conflicting duplicate paths")
	}
}

// projectedSources validates the sources of a projected volume.
func (c *check) projectedSources(volume field) {
	paths := projectedPaths{check: c, volume: volume}
	list := volume.get("sources")
	for i := range list.items() {
		source := list.item(i)
		count := 0
		for _, kind := range [...]string{"secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"} {
			if part := source.get(kind); part.isSet() {
				count++
				paths.source(kind, part)
			}
		}
		if count > 1 {
			c.forbidden(source, "may not specify more than 1 volume type per source")
		}
	}
}

func (p *projectedPaths) source(kind string, part field) {
	switch kind {
	case "secret", "configMap":
		p.need(part.get("name"))
		items := part.get("items")
		for i := range items.items() {
			item := items.item(i)
			p.keyToPath(item)
			p.addIfSet(item.get("path"), part.get("name").text())
		}
	case "downwardAPI":
		items := part.get("items")
		p.downwardFiles(part, items)
		for i := range items.items() {
			path := items.item(i).get("path")
			p.addIfSet(path, path.text())
		}
	case "serviceAccountToken":
		p.token(part)
	case "clusterTrustBundle":
		p.trustBundle(part)
	case "podCertificate":
		p.certificate(part)
	}
}

func (p *projectedPaths) addIfSet(path field, shown string) {
	if path.text() != "" {
		p.add(path.text(), shown)
	}
}

func (p *projectedPaths) token(part field) {
	seconds := part.get("expirationSeconds")
	if n := seconds.number(); n < 600 {
		p.invalid(seconds, "may not specify a duration less than 10 minutes")
	} else if n > 1<<32 {
		p.invalid(seconds, "may not specify a duration larger than 2^32 seconds")
	}
	// kube-apiserver reports the path as a field of the volume.
	path := part.get("path")
	path.at = p.volume.getAs("", "path").at
	p.need(path)
	p.filePath(path)
}

func (p *projectedPaths) trustBundle(part field) {
	name, signer, selector := part.get("name"), part.get("signerName"), part.get("labelSelector")
	switch {
	case name.isSet() && signer.isSet():
		p.invalid(part, "only one of name and signerName may be used")
	case name.isSet():
		p.need(name)
		p.trustBundleName(name)
		if selector.isSet() {
			p.invalid(selector, "must be unset if name is specified")
		}
	case signer.isSet():
		if signer.text() == "" {
			p.required(signer, "must be a valid signer name")
		}
		p.signerName(signer)
		p.labelSelector(selector)
	default:
		p.required(part, "either name or signerName must be specified")
	}
	path := part.get("path")
	p.need(path)
	p.filePath(path)
	p.add(path.text(), path.text())
}

// trustBundleName requires the name of a ClusterTrustBundle: a DNS subdomain, after a prefix
// and ':' if the bundle has a signer.
func (c *check) trustBundleName(name field) {
	text := name.text()
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		c.syntax(name, names.DNSSubdomain)
		return
	}
	if why := names.DNSSubdomain(text[i+1:]); why != "" {
		c.unmet(name, why)
	}
}

func (p *projectedPaths) certificate(part field) {
	signer := part.get("signerName")
	p.signerName(signer)
	annotations := part.get("userAnnotations")
	p.annotations(annotations)
	for i := range annotations.members() {
		if key := annotations.Key(i); key != "" && !strings.Contains(key, "/") && names.QualifiedName(strings.ToLower(key)) == "" {
			p.invalidText(annotations, key, `must be a domain-prefixed key (such as "acme.io/foo")`)
		}
	}
	p.oneOf(part.get("keyType"), "RSA3072,RSA4096,ECDSAP256,ECDSAP384,ECDSAP521,ED25519")
	if seconds := part.get("maxExpirationSeconds"); seconds.isSet() {
		most := int64(91 * 24 * 3600)
		if strings.HasPrefix(signer.text(), "kubernetes.io/") {
			most = 24 * 3600
		}
		const limit = "if provided, maxExpirationSeconds must be "
		switch n := seconds.number(); {
		case n < 3600:
			p.invalid(seconds, limit+">= 3600")
		case n > most:
			p.invalid(seconds, limit+"<= "+strconv.FormatInt(most, 10))
		}
	}
	count := 0
	for _, name := range [...]string{"credentialBundlePath", "keyPath", "certificateChainPath"} {
		if path := part.get(name); path.text() != "" {
			count++
			p.filePath(path)
			p.add(path.text(), path.text())
		}
	}
	if count == 0 {
		p.required(part, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath")
	}
}
