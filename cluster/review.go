//go:build !js

package cluster

import (
	"context"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
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
	return &Response{Code: 201, Object: value.With("status", status), Warnings: t.warnings}, nil
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

// withoutSystemFields removes the metadata that the server sets from a body
// (rest.WipeObjectMetaSystemFields).
func withoutSystemFields(object document.Value) document.Value {
	for _, name := range [...]string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "uid"} {
		if hasMeta(object, name) {
			object = withMeta(object, name, document.Value{})
		}
	}
	return object
}
