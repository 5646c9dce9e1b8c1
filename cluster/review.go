package cluster

import (
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// isReview reports whether a built-in kind is a review or a request rather than a stored object,
// such as SubjectAccessReview: it can only be created, and is not stored.
func isReview(k *schema.Kind) bool {
	return k.Builtin && slices.Contains(k.Verbs, "create") && !slices.Contains(k.Verbs, "get")
}

// review answers an access or token review. Everything is allowed to every user, as with
// --authorization-mode=AlwaysAllow, and no token is valid.
func (t *task) review() (*Response, *Status) {
	object, st := t.mutate(fieldmanager.Object{Value: t.body}, fieldmanager.Object{})
	if st != nil {
		return nil, st
	}
	t.body = object.Join()
	if _, st := t.admit(object, fieldmanager.Object{}); st != nil {
		return nil, st
	}
	review := t.ep.strategy.Review
	if review == nil {
		return nil, &Status{Code: 405, Reason: ReasonMethodNotAllowed, Message: t.Resource + " are not supported"}
	}
	status, err := review.Status(t.body.Get("spec"), t.User)
	var wrong schema.FieldError
	switch {
	case errors.As(err, &wrong):
		return nil, invalid(groupResource{group: t.Group}, "", schemaCauses([]schema.FieldError{wrong}))
	case err != nil:
		return nil, badRequest(err.Error())
	}
	object = fieldmanager.Object{Value: t.body}
	if review.Tracked {
		object = t.tracked(fieldmanager.Object{}, t.body)
	}
	if review.Timed {
		object.Value = withMeta(object.Value, "creationTimestamp", document.NewString(formatTime(t.now)))
	}
	return &Response{Code: 201, Object: object.Join().With("status", status), Warnings: t.warnings}, nil
}
