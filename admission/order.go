package admission

import (
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// merged returns causes with those that expressions have, in the order in which kube-apiserver
// validates the fields.
func merged(causes, ofExpressions []cluster.Cause) []cluster.Cause {
	slices.SortStableFunc(ofExpressions, func(a, b cluster.Cause) int {
		switch {
		case precedes(a.Path, b.Path):
			return -1
		case precedes(b.Path, a.Path):
			return 1
		}
		return 0
	})
	all := make([]cluster.Cause, 0, len(causes)+len(ofExpressions))
	for _, c := range causes {
		for len(ofExpressions) > 0 && precedes(ofExpressions[0].Path, c.Path) {
			all = append(all, ofExpressions[0])
			ofExpressions = ofExpressions[1:]
		}
		all = append(all, c)
	}
	return append(all, ofExpressions...)
}

// precedes reports whether a field is validated before another one. What concerns a whole object,
// such as its immutability, is validated after its fields.
func precedes(a, b document.Path) bool {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if m, ok := a[i].Index(); ok {
			n, _ := b[i].Index()
			return m < n
		}
		return rank(a, i) < rank(b, i)
	}
	return len(a) > len(b)
}

// rank returns the place of a step among the fields that are validated in the same object. Those
// without one, -1, come first.
func rank(p document.Path, i int) int {
	fields := []string{
		"matchConditions", "admissionReviewVersions", "variables", "validations", "mutations", "auditAnnotations", "reinvocationPolicy",
		"selectors", "allocationMode", "count", "adminAccess", "tolerations", "capacity", "requests", "constraints", "config",
		"extendedResourceName", "expression", "messageExpression", "message", "reason",
	}
	name, _ := p[i].Name()
	first, _ := p[0].Name()
	switch {
	case name == "name" && i >= 2 && p[i-2] == document.FieldStep("matchConditions"):
		return len(fields)
	case name == "reinvocationPolicy" && first == "webhooks":
		return -1
	}
	return slices.Index(fields, name)
}
