package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// validateNodeSelector requires at least one term.
func validateNodeSelector(c *check, n field) {
	terms := n.get("nodeSelectorTerms")
	if terms.items() == 0 {
		c.required(terms, "must have at least one node selector term")
	}
	for i := range terms.items() {
		validateNodeSelectorTerm(c, terms.item(i))
	}
}

func validateNodeSelectorTerm(c *check, term field) {
	expressions, fields := term.get("matchExpressions"), term.get("matchFields")
	for i := range expressions.items() {
		validateNodeRequirement(c, expressions.item(i))
	}
	for i := range fields.items() {
		validateNodeFieldRequirement(c, fields.item(i))
	}
}

func validateNodeRequirement(c *check, n field) {
	operator, values, key := n.get("operator"), n.get("values"), n.get("key")
	switch operator.text() {
	case "In", "NotIn":
		if values.items() == 0 {
			c.required(values, "must be specified when `operator` is 'In' or 'NotIn'")
		}
	case "Exists", "DoesNotExist":
		if values.items() > 0 {
			c.forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
		}
	case "Gt", "Lt":
		if values.items() != 1 {
			c.required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")
		}
	default:
		c.invalid(operator, "not a valid selector operator")
	}
	c.syntax(key, names.QualifiedName)
	for i := range values.items() {
		c.syntax(values.item(i), names.LabelValue)
	}
}

// validateNodeFieldRequirement validates a requirement in matchFields, for which only
// metadata.name is supported.
func validateNodeFieldRequirement(c *check, n field) {
	operator, values, key := n.get("operator"), n.get("values"), n.get("key")
	switch operator.text() {
	case "In", "NotIn":
		if values.items() != 1 {
			c.required(values, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
		}
	default:
		c.invalid(operator, "not a valid selector operator")
	}
	if key.text() != "metadata.name" {
		c.invalid(key, "not a valid field selector key")
		return
	}
	for i := range values.items() {
		c.syntax(values.item(i), names.DNSSubdomain)
	}
}

// validateVolumeAffinityUpdate requires that the node affinity of a volume does not change,
// except that the beta labels of zones and regions may be replaced by the GA labels.
func validateVolumeAffinityUpdate(c *check, object, old field) {
	next := object.get("spec.nodeAffinity")
	renamed := old
	renamed.Value = withFinalTopologyLabels(old.Value, next.Value)
	if !c.same(next, renamed) {
		c.invalidChange(object.getAs("spec.nodeAffinity", "nodeAffinity"), "field is immutable, except for updating from beta label to GA")
	}
}

func withFinalTopologyLabels(affinity, next document.Value) document.Value {
	terms, wanted := affinity.Lookup("required", "nodeSelectorTerms"), next.Lookup("required", "nodeSelectorTerms")
	if terms.Kind() != document.List || terms.Len() != wanted.Len() {
		return affinity
	}
	var renamed document.ListBuilder
	for i, term := range terms.Items() {
		renamed.Append(withFinalLabels(term, wanted.At(i)))
	}
	required := affinity.Get("required").With("nodeSelectorTerms", renamed.List())
	return affinity.With("required", required)
}

func withFinalLabels(term, next document.Value) document.Value {
	expressions, wanted := term.Get("matchExpressions"), next.Get("matchExpressions")
	if expressions.Kind() != document.List || expressions.Len() != wanted.Len() {
		return term
	}
	var renamed document.ListBuilder
	for i, r := range expressions.Items() {
		// A key without a GA name has the empty one, as in kube-apiserver's table, so that an
		// empty key is not a change either.
		if final := finalTopologyLabel(r.Get("key").StringOr("")); wanted.At(i).Get("key").StringOr("") == final {
			r = r.With("key", document.NewString(final))
		}
		renamed.Append(r)
	}
	return term.With("matchExpressions", renamed.List())
}

// finalTopologyLabel returns the GA name of a beta label of nodes, "" for any other key.
func finalTopologyLabel(key string) string {
	switch key {
	case "beta.kubernetes.io/os":
		return "kubernetes.io/os"
	case "beta.kubernetes.io/arch":
		return "kubernetes.io/arch"
	case "beta.kubernetes.io/instance-type":
		return "node.kubernetes.io/instance-type"
	case "failure-domain.beta.kubernetes.io/zone":
		return "topology.kubernetes.io/zone"
	case "failure-domain.beta.kubernetes.io/region":
		return "topology.kubernetes.io/region"
	}
	return ""
}
