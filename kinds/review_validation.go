//go:build !js

package kinds

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

func validateSelfSubjectAccessReview(c *check, review, _ field) {
	c.accessAttributes(review.get("spec"), false)
	c.emptyMetadata(review.get("metadata"), "must be empty")
}

func validateSubjectAccessReview(c *check, review, _ field) {
	c.accessAttributes(review.get("spec"), true)
	c.emptyMetadata(review.get("metadata"), "must be empty")
}

func validateLocalSubjectAccessReview(c *check, review, _ field) {
	spec := review.get("spec")
	c.accessAttributes(spec, true)
	c.emptyMetadata(review.get("metadata"), "must be empty except for namespace", "namespace")
	attributes := spec.get("resourceAttributes")
	if namespace := attributes.get("namespace"); attributes.isSet() && namespace.text() != review.get("metadata.namespace").text() {
		c.addValue(schema.ErrorInvalid, namespace, namespace.text(), "must match metadata.namespace")
	}
	if other := spec.get("nonResourceAttributes"); other.isSet() {
		c.nonResourceAttributes(other, other, "disallowed on this kind of request")
	}
}

// accessAttributes validates the resource or non-resource attributes of an access review and, if named
// is set, its user and groups.
func (c *check) accessAttributes(spec field, named bool) {
	resource, other := spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
	const exactlyOne = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
	switch later := c.kind.Since("1.37"); {
	case resource.isSet() && other.isSet() && later:
		c.nonResourceAttributes(spec, other, exactlyOne)
	case resource.isSet() && other.isSet():
		c.nonResourceAttributes(other, other, "cannot be specified in combination with resourceAttributes")
	case !resource.isSet() && !other.isSet() && later:
		c.invalidValue(spec, document.NewNull(), exactlyOne)
	case !resource.isSet() && !other.isSet():
		c.invalidValue(resource, document.NewNull(), exactlyOne)
	}
	if user := spec.get("user"); named && user.text() == "" && spec.get("groups").items() == 0 {
		c.addValue(schema.ErrorInvalid, user, "", "at least one of user or group must be specified")
	}
	for _, part := range [...]struct {
		name string
		rule func(requirement field)
	}{{"fieldSelector", c.knownFieldRequirement}, {"labelSelector", c.knownLabelRequirement}} {
		selector := resource.get(part.name)
		if !selector.isSet() {
			continue
		}
		raw, requirements := selector.get("rawSelector"), selector.get("requirements")
		switch {
		case raw.text() != "" && requirements.items() > 0:
			c.invalid(raw, "may not specified at the same time as requirements")
		case raw.text() == "" && requirements.items() == 0:
			c.required(requirements, "when spec.resourceAttributes."+part.name+" is specified, requirements or rawSelector is required")
		}
		for i := range requirements.items() {
			part.rule(requirements.item(i))
		}
	}
}

// knownFieldRequirement validates a FieldSelectorRequirement. Unknown operators are accepted,
// because clients may be newer than the server.
func (c *check) knownFieldRequirement(f field) {
	if key := f.get("key"); key.text() == "" {
		c.required(key, "must be specified")
	}
	c.operands(f.get("values"), f.get("operator").text())
}

// knownLabelRequirement validates a LabelSelectorRequirement in the same way.
func (c *check) knownLabelRequirement(f field) {
	values := f.get("values")
	c.operands(values, f.get("operator").text())
	c.syntax(f.get("key"), names.QualifiedName)
	for i := range values.items() {
		c.syntax(values.item(i), names.LabelValue)
	}
}

// emptyMetadata refuses metadata with other members than managedFields and those that are
// excepted.
func (c *check) emptyMetadata(metadata field, detail string, except ...string) {
	for name := range metadata.Value.Members() {
		if name != "managedFields" && !slices.Contains(except, name) {
			c.invalid(metadata, detail)
			return
		}
	}
}

// nonResourceAttributes adds an error for f that shows attributes, with the names of Go's fields
// because the type that kube-apiserver validates has no others.
func (c *check) nonResourceAttributes(f, attributes field, detail string) {
	text := document.NewString
	shown := document.NewObject().With("Path", text(attributes.get("path").text())).With("Verb", text(attributes.get("verb").text()))
	c.invalidValue(f, shown, detail)
}
