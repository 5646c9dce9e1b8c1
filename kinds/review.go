package kinds

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// A Review answers access and token reviews. Everything is allowed to every user and no token
// is valid, as with --authorization-mode=AlwaysAllow.
type Review struct {
	// Tracked adds managedFields to the response, Timed a creationTimestamp.
	Tracked, Timed bool
	// Status returns the status of the response. A schema.FieldError refuses the review with
	// 422, any other error with 400.
	Status func(spec document.Value, user defaults.User) (document.Value, error)
}

func reviewStrategy(group, resource string, r Review) Strategy {
	return Strategy{Group: group, Resource: resource, Name: subdomainName, Review: &r}
}

// selfSubjectReviewStrategy is the strategy of authentication.k8s.io/v1 SelfSubjectReview.
var selfSubjectReviewStrategy = reviewStrategy("authentication.k8s.io", "selfsubjectreviews", Review{Timed: true, Status: whoAmI})

// tokenReviewStrategy is the strategy of authentication.k8s.io/v1 TokenReview.
var tokenReviewStrategy = reviewStrategy("authentication.k8s.io", "tokenreviews", Review{Tracked: true, Status: noToken})

// localSubjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 LocalSubjectAccessReview.
var localSubjectAccessReviewStrategy = reviewStrategy("authorization.k8s.io", "localsubjectaccessreviews", Review{Tracked: true, Status: allowed})

// selfSubjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 SelfSubjectAccessReview.
var selfSubjectAccessReviewStrategy = reviewStrategy("authorization.k8s.io", "selfsubjectaccessreviews", Review{Tracked: true, Status: allowed})

// selfSubjectRulesReviewStrategy is the strategy of authorization.k8s.io/v1 SelfSubjectRulesReview.
var selfSubjectRulesReviewStrategy = reviewStrategy("authorization.k8s.io", "selfsubjectrulesreviews", Review{Status: everyRule})

// subjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 SubjectAccessReview.
var subjectAccessReviewStrategy = reviewStrategy("authorization.k8s.io", "subjectaccessreviews", Review{Tracked: true, Status: allowed})

func given(v document.Value) bool { return v.Exists() && !v.IsNull() }

func allowed(spec document.Value, _ defaults.User) (document.Value, error) {
	if given(spec.Get("resourceAttributes")) == given(spec.Get("nonResourceAttributes")) {
		return document.Value{}, schema.FieldError{Type: schema.ErrorInvalid, Path: document.Keys("spec", "resourceAttributes"), Field: "spec.resourceAttributes",
			BadValue: document.NewNull(), Detail: "exactly one of resourceAttributes and nonResourceAttributes must be specified"}
	}
	return document.NewObject().With("allowed", document.NewBool(true)), nil
}

// everyRule returns rules that allow every verb on every resource.
func everyRule(spec document.Value, _ defaults.User) (document.Value, error) {
	if spec.Get("namespace").StringOr("") == "" {
		return document.Value{}, errors.New("spec.namespace is required")
	}
	all := document.NewList(document.NewString("*"))
	object := document.NewObject
	return object().
		With("resourceRules", document.NewList(object().With("verbs", all).With("apiGroups", all).With("resources", all))).
		With("nonResourceRules", document.NewList(object().With("verbs", all).With("nonResourceURLs", all))).
		With("incomplete", document.NewBool(false)), nil
}

func noToken(document.Value, defaults.User) (document.Value, error) {
	return document.NewObject().With("user", document.NewObject()).
		With("error", document.NewString("invalid bearer token: this server does not authenticate users")), nil
}

// whoAmI returns the attributes of the requesting user.
func whoAmI(_ document.Value, u defaults.User) (document.Value, error) {
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
	return document.NewObject().With("userInfo", out), nil
}
