//go:build !js

package cluster

import (
	"context"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/labels"
)

// unstored returns the body of a request whose object is not stored, of a review or an action,
// with its namespace and its owners, after mutating admission.
func (t *task) unstored(body document.Value) (fieldmanager.Object, *Status) {
	body, st := t.inNamespace(body)
	if st != nil {
		return fieldmanager.Object{}, st
	}
	return t.mutate(t.tracked(fieldmanager.Object{}, body), fieldmanager.Object{})
}

// review answers an access or token review (registry/authorization and
// registry/authentication). Everything is allowed to every user, as with
// --authorization-mode=AlwaysAllow.
func (c *Cluster) review(ctx context.Context, t *task) (*Response, *Status) {
	review := t.ep.strategy.Review
	if review == nil {
		return nil, &Status{Code: 405, Reason: ReasonMethodNotAllowed, Message: t.Resource + " are not supported"}
	}
	object, st := t.unstored(withoutSystemFields(t.body))
	if st != nil {
		return nil, st
	}
	if errs := t.ep.strategy.ValidateUpdate(t.ep.kind, "", object.Join(), document.Value{}, document.Value{}); len(errs) > 0 {
		return nil, invalid(groupResource{group: t.Group}, "", schemaCauses(errs))
	}
	if review.Check != nil {
		if err := review.Check(object.Value.Get("spec")); err != nil {
			return nil, badRequest(err.Error())
		}
	}
	if _, st := t.admit(object, fieldmanager.Object{}); st != nil {
		return nil, st
	}
	value := object.Join()
	if !review.Returned {
		value = t.zeroObject(t.ep.kind)
	}
	if review.Timed {
		value = withMeta(value, "creationTimestamp", document.NewString(formatTime(t.now)))
	}
	var status document.Value
	if review.Status == nil {
		status = c.tokenStatus(ctx, object.Value.Get("spec"), object.Value.Get("status"))
	} else {
		status = review.Status(t.User)
	}
	if ignored := ignoredSelectors(object.Value.Lookup("spec", "resourceAttributes")); ignored != "" {
		status = status.With("evaluationError", document.NewString(ignored))
	}
	return &Response{Code: 201, Object: value.With("status", status), Warnings: t.warnings}, nil
}

// ignoredSelectors returns the evaluationError of an access review: which of its selectors are ignored
// because they cannot be parsed (registry/authorization/util, BuildEvaluationError).
func ignoredSelectors(attributes document.Value) string {
	var ignored []string
	for _, kind := range [...]struct {
		name      string
		parse     func(text string) error
		supported func(requirement document.Value) bool
	}{
		{"fieldSelector", func(text string) error { _, err := parseFields(text); return err }, supportedFieldRequirement},
		{"labelSelector", func(text string) error { _, err := labels.Parse(text); return err }, supportedLabelRequirement},
	} {
		selector := attributes.Get(kind.name)
		requirements, used := selector.Get("requirements"), 0
		for _, requirement := range requirements.Items() {
			if kind.supported(requirement) {
				used++
			}
		}
		unparsed := used < requirements.Len()
		if raw := selector.Get("rawSelector").StringOr(""); raw != "" && requirements.Len() == 0 {
			unparsed = kind.parse(raw) != nil
		}
		switch what := "spec.resourceAttributes." + kind.name; {
		case unparsed && used > 0:
			ignored = append(ignored, what+" partially ignored due to parse error")
		case unparsed:
			ignored = append(ignored, what+" ignored due to parse error")
		}
	}
	return strings.Join(ignored, "; ")
}

// supportedFieldRequirement reports whether a requirement can be written as a field selector, which
// compares with one value.
func supportedFieldRequirement(requirement document.Value) bool {
	switch requirement.Get("operator").StringOr("") {
	case "In", "NotIn":
		return requirement.Get("values").Len() == 1
	}
	return false
}

// supportedLabelRequirement reports whether the operator of a requirement is known. Its key and values
// have been validated.
func supportedLabelRequirement(requirement document.Value) bool {
	switch requirement.Get("operator").StringOr("") {
	case "In", "NotIn", "Exists", "DoesNotExist":
		return true
	}
	return false
}

const invalidToken = "invalid bearer token"

// withTokenError returns the status of a TokenReview of a token that is not valid. sent is that in the
// request.
func withTokenError(sent document.Value, why string) document.Value {
	if sent.Kind() != document.Object {
		sent = document.NewObject()
	}
	if !sent.Get("user").Exists() {
		sent = sent.With("user", document.NewObject())
	}
	return sent.Without("authenticated").With("error", document.NewString(why))
}

// withoutSystemFields removes systemMetadata from the body of a review, which is returned with the null
// that the Go types of some versions encode for an unset creationTimestamp.
func withoutSystemFields(object document.Value) document.Value {
	for _, name := range systemMetadata {
		if hasMeta(object, name) {
			object = withMeta(object, name, document.Value{})
		}
	}
	return object
}
