package kinds

import (
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
				return `ClusterTrustBundle without signer name must not have ":" in its name`
			}
			return subdomainName(name, prefix)
		}
		start := strings.ReplaceAll(signer, "/", ":") + ":"
		rest, ok := strings.CutPrefix(name, start)
		if !ok {
			// A line break would separate two requirements.
			return strings.ReplaceAll("ClusterTrustBundle for signerName "+signer+" must be named with prefix "+start, "\n", `\n`)
		}
		return subdomainName(rest, prefix)
	}
}
