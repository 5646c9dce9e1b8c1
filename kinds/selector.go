package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// labelSelector requires a valid metav1.LabelSelector; an absent one is valid.
func (c *check) labelSelector(f field) {
	c.labels(f.get("matchLabels"))
	requirements := f.get("matchExpressions")
	for i := range requirements.items() {
		c.labelRequirement(requirements.item(i))
	}
}

func (c *check) labelRequirement(f field) {
	values, operator := f.get("values"), f.get("operator")
	if !c.operands(values, operator.text()) {
		c.invalid(operator, "not a valid selector operator")
	}
	key := f.get("key")
	c.syntax(key, names.QualifiedName)
	for i := range values.items() {
		c.syntax(values.item(i), names.LabelValue)
	}
}

// operands validates the values of a requirement, and reports whether its operator is known.
func (c *check) operands(values field, operator string) bool {
	switch operator {
	case "In", "NotIn":
		if values.Len() == 0 {
			c.required(values, "must be specified when `operator` is 'In' or 'NotIn'")
		}
	case "Exists", "DoesNotExist":
		if values.Len() > 0 {
			c.forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
		}
	default:
		return false
	}
	return true
}

// isSelector reports whether a metav1.LabelSelector is valid.
func isSelector(selector document.Value) bool {
	c := newCheck(nil, "", selector)
	defer c.release()
	c.labelSelector(c.root(selector))
	return len(c.errs) == 0
}

// Selects reports whether a metav1.LabelSelector matches labels, an object of strings or
// absent. An absent selector matches nothing, an empty one everything.
func Selects(selector, labels document.Value) bool {
	if selector.Kind() != document.Object {
		return false
	}
	for key, want := range selector.Get("matchLabels").Members() {
		if !document.Equal(labels.Get(key), want) {
			return false
		}
	}
	for _, r := range selector.Get("matchExpressions").Items() {
		if !meetsRequirement(r, labels) {
			return false
		}
	}
	return true
}

func meetsRequirement(r, labels document.Value) bool {
	value := labels.Get(r.Get("key").StringOr(""))
	switch r.Get("operator").StringOr("") {
	case "In":
		return value.Exists() && hasText(r.Get("values"), value.StringOr(""))
	case "NotIn":
		return !value.Exists() || !hasText(r.Get("values"), value.StringOr(""))
	case "Exists":
		return value.Exists()
	case "DoesNotExist":
		return !value.Exists()
	}
	return false
}
