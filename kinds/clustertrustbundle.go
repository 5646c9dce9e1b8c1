package kinds

import (
	"encoding/pem"
	"strconv"
	"strings"
)

// clusterTrustBundleStrategy is the strategy of certificates.k8s.io/v1 ClusterTrustBundle. The
// rule for its name depends on its signer, so that the validation applies it.
var clusterTrustBundleStrategy = Strategy{
	Group:          "certificates.k8s.io",
	Resource:       "clustertrustbundles",
	Name:           anyName,
	RequireVersion: true,
	Selectable: []SelectableField{
		{Label: "spec.signerName"},
	},
}

// validateClusterTrustBundle does not parse a bundle again that is unchanged.
func validateClusterTrustBundle(c *check, object, old field) {
	spec := object.get("spec")
	signer, bundle := spec.get("signerName"), spec.get("trustBundle")
	metadata, rule := object.get("metadata"), bundleName(signer.text())
	for _, name := range [...]string{"generateName", "name"} {
		if f := metadata.get(name); f.text() != "" {
			c.nameRule(f, name == "generateName", rule)
		}
	}
	if signer.text() != "" {
		c.signerName(signer)
	}
	was := old.get("spec")
	if !old.isSet() || was.get("trustBundle").text() != bundle.text() {
		c.trustBundle(bundle)
	}
	if old.isSet() {
		c.immutable(signer, was.get("signerName"))
	}
}

// bundleName returns the rule for the names of the bundles of a signer: they begin with that of
// the signer, with colons for slashes. Other bundles have no colon in their names.
func bundleName(signer string) NameRule {
	return func(name string, prefix bool) string {
		if signer == "" {
			if strings.Contains(name, ":") {
				return "must not contain ':' without spec.signerName"
			}
			return subdomainName(name, prefix)
		}
		start := strings.ReplaceAll(signer, "/", ":") + ":"
		rest, ok := strings.CutPrefix(name, start)
		if !ok {
			return "must begin with " + strconv.Quote(start) + ", because of spec.signerName"
		}
		return subdomainName(rest, prefix)
	}
}

// trustBundle requires PEM blocks that are different certificates of authorities.
func (c *check) trustBundle(f field) {
	const maxBundle = 1 << 20
	if len(f.text()) > maxBundle {
		c.tooLong(f, maxBundle)
		return
	}
	mark := len(c.errs)
	var anchors []string // the different ones, in order
	positions := map[string][]string{}
	block, rest := pem.Decode([]byte(f.text()))
	for i := 0; block != nil; i++ {
		position := strconv.Itoa(i)
		if why := notAuthority(block); why != "" {
			c.invalidText(f, valueOmitted, "entry "+position+" "+why)
		}
		anchor := string(block.Bytes)
		if positions[anchor] == nil {
			anchors = append(anchors, anchor)
		}
		positions[anchor] = append(positions[anchor], position)
		block, rest = pem.Decode(rest)
	}
	if c.failed(mark) {
		return
	}
	if len(anchors) == 0 {
		c.invalidText(f, valueOmitted, "at least one trust anchor must be provided")
	}
	for _, anchor := range anchors {
		if at := positions[anchor]; len(at) > 1 {
			c.invalidText(f, valueOmitted, "entries "+strings.Join(at, ", ")+" are the same trust anchor")
		}
	}
}

// valueOmitted stands for a value in messages that would be too long.
const valueOmitted = "<value omitted>"

// notAuthority returns why a PEM block is not the certificate of an authority, "" if it is.
func notAuthority(block *pem.Block) string {
	if block.Type != certificateBlock {
		return "has bad block type: " + block.Type
	}
	if len(block.Headers) > 0 {
		return "has PEM block headers"
	}
	switch parsed, ok := parseCertificate(block.Bytes); {
	case !ok:
		return "does not parse as X.509"
	case !parsed.authority:
		return "does not have the CA bit set"
	}
	return ""
}
