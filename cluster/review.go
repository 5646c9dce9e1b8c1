package cluster

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// asks reports whether a built-in kind is a question or an order rather than an
// object: it can only be created, and nothing is stored.
func asks(k *schema.Kind) bool {
	return k.Builtin && slices.Contains(k.Verbs, "create") && !slices.Contains(k.Verbs, "get")
}

// review answers a question about access. Here everything is allowed to
// everybody, and no token is known, as with authorization always-allow.
func (t *task) review() (*Response, *Status) {
	object, st := t.mutate(fieldmanager.Object{Value: t.body}, fieldmanager.Object{})
	if st != nil {
		return nil, st
	}
	t.body = object.Join()
	if _, st := t.admit(object, fieldmanager.Object{}); st != nil {
		return nil, st
	}
	object = fieldmanager.Object{}
	var status document.Value
	switch t.Resource {
	case "selfsubjectaccessreviews", "subjectaccessreviews", "localsubjectaccessreviews":
		spec := t.body.Get("spec")
		if given(spec.Get("resourceAttributes")) == given(spec.Get("nonResourceAttributes")) {
			return nil, invalid(groupResource{group: t.Group}, "", []Cause{invalidValue("spec.resourceAttributes", "null",
				"exactly one of resourceAttributes and nonResourceAttributes must be given")})
		}
		object = t.tracked(object, t.body)
		status = document.NewObject().With("allowed", document.NewBool(true))
	case "selfsubjectrulesreviews":
		if t.body.Get("spec").Get("namespace").StringOr("") == "" {
			return nil, badRequest("spec.namespace must name the namespace that is asked about")
		}
		object.Value = t.body
		status = everyRule()
	case "selfsubjectreviews":
		object.Value = withMeta(t.body, "creationTimestamp", document.NewString(formatTime(t.now)))
		status = document.NewObject().With("userInfo", userInfo(t.User))
	case "tokenreviews":
		object = t.tracked(object, t.body)
		status = document.NewObject().With("user", document.NewObject()).
			With("error", document.NewString("no token is known here: this server has no users"))
	default:
		return nil, &Status{Code: 405, Reason: ReasonMethodNotAllowed, Message: t.Resource + " are not served"}
	}
	return &Response{Code: 201, Object: object.Join().With("status", status), Warnings: t.warnings}, nil
}

func given(v document.Value) bool { return v.Exists() && !v.IsNull() }

// everyRule allows every verb on everything.
func everyRule() document.Value {
	all := document.NewList(document.NewString("*"))
	object := document.NewObject
	return object().
		With("resourceRules", document.NewList(object().With("verbs", all).With("apiGroups", all).With("resources", all))).
		With("nonResourceRules", document.NewList(object().With("verbs", all).With("nonResourceURLs", all))).
		With("incomplete", document.NewBool(false))
}

// userInfo describes who asks, as authentication.k8s.io does.
func userInfo(u User) document.Value {
	out := document.NewObject().With("username", document.NewString(u.Name))
	if u.UID != "" {
		out = out.With("uid", document.NewString(u.UID))
	}
	if len(u.Groups) > 0 {
		groups := make([]document.Value, len(u.Groups))
		for i, g := range u.Groups {
			groups[i] = document.NewString(g)
		}
		out = out.With("groups", document.NewList(groups...))
	}
	return out
}
