package kinds

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// storageClassStrategy is the strategy of storage.k8s.io/v1 StorageClass.
var storageClassStrategy = Strategy{
	Group:         "storage.k8s.io",
	Resource:      "storageclasses",
	Name:          subdomainName,
	metadataAgain: wholeFirst,
	ReturnDeleted: true,
}

const (
	// maxParameters is the maximum number of parameters of a StorageClass, and
	// maxParameterBytes the maximum total length of their keys and values.
	maxParameters     = 512
	maxParameterBytes = 256 << 10
)

func validateStorageClass(c *check, object, old field) {
	mode := object.get("volumeBindingMode")
	validateProvisioner(c, object.get("provisioner"))
	validateParameters(c, object.get("parameters"))
	if reclaim := object.get("reclaimPolicy"); !reclaim.isEmpty() {
		c.oneOf(reclaim, "Delete,Retain")
	}
	if mode.isSet() {
		c.oneOf(mode, "Immediate,WaitForFirstConsumer")
	} else {
		c.required(mode, "")
	}
	validateAllowedTopologies(c, object.get("allowedTopologies"))
	if old.isSet() {
		c.metadataAt = len(c.errs)
		for _, name := range [...]string{"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"} {
			switch f, was := object.get(name), old.get(name); {
			case c.kind.Since("1.36") || name == "volumeBindingMode":
				c.declaredImmutable(f, was)
			case !c.same(f, was):
				c.forbidden(f, "updates to "+name+" are forbidden.")
			}
		}
	}
}

// validateProvisioner requires a qualified name, ignoring case.
func validateProvisioner(c *check, n field) {
	if !c.need(n) {
		return
	}
	lower := strings.ToLower(n.text())
	if why := names.QualifiedName(lower); why != "" {
		c.unmetText(n, lower, why)
	}
}

func validateParameters(c *check, n field) {
	if n.Len() > maxParameters {
		c.tooLong(n, maxParameters)
		return
	}
	size := 0
	for i := range n.Len() {
		key := n.Value.Key(i)
		if key == "" {
			c.invalidText(n, key, "field can not be empty.")
		}
		size += len(key) + len(n.Value.At(i).StringOr(""))
	}
	if size > maxParameterBytes {
		c.tooLong(n, maxParameterBytes)
	}
}

// validateAllowedTopologies validates each term, and that no two terms are equal: there is an
// error for each pair. As in kube-apiserver, each term is also compared with as many terms
// without expressions as there are terms.
func validateAllowedTopologies(c *check, terms field) {
	if terms.items() == 0 {
		return
	}
	const most = 100_000 // bounds the memory for the errors
	seen := map[string]int{"": terms.items()}
	for i := range terms.items() {
		expressions := terms.item(i).get("matchLabelExpressions")
		meaning := validateTopologyTerm(c, expressions)
		for range min(seen[meaning], most-len(c.errs)) {
			c.addValue(schema.ErrorDuplicate, expressions, "", "")
		}
		seen[meaning]++
	}
}

// validateTopologyTerm validates the expressions of a term and returns them in a canonical
// order, for comparison. Of expressions with the same key, the last counts.
func validateTopologyTerm(c *check, expressions field) string {
	known := map[string]string{} // the values of a key
	for i := range expressions.items() {
		expression := expressions.item(i)
		key, values := expression.get("key"), expression.get("values")
		if values.items() == 0 {
			c.required(values, "")
		}
		distinct := map[string]bool{}
		var texts sortedTexts
		for j := range values.items() {
			value := values.item(j)
			if distinct[value.text()] {
				c.duplicate(value)
				continue
			}
			distinct[value.text()] = true
			texts = append(texts, value.text())
		}
		c.syntax(key, names.QualifiedName)
		if _, repeated := known[key.text()]; repeated {
			c.duplicate(key)
		}
		known[key.text()] = texts.joined("\x01")
	}
	var parts sortedTexts
	for key, values := range known {
		parts = append(parts, key+"\x00"+values)
	}
	return parts.joined("\x02")
}

// sortedTexts is a set of texts for comparison.
type sortedTexts []string

// joined returns the sorted texts with a separator.
func (t sortedTexts) joined(separator string) string {
	slices.Sort(t)
	return strings.Join(t, separator)
}

func warnStorageClass(a *advice, object, _ field) {
	terms := object.get("allowedTopologies")
	for i := range terms.items() {
		list := terms.item(i).get("matchLabelExpressions")
		for j := range list.items() {
			key := list.item(j).get("key")
			a.nodeLabel(key, key.text())
		}
	}
}
