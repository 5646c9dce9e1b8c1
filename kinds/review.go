package kinds

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// A Review answers an object that is a question about access. Everything is allowed
// to everybody and no token is known, as with authorization AlwaysAllow.
type Review struct {
	// Tracked gives the answer managedFields, Timed a creationTimestamp.
	Tracked, Timed bool
	// Status returns the status of the answer. An error refuses the question: a
	// schema.FieldError with 422, any other with 400.
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
			BadValue: document.NewNull(), Detail: "exactly one of resourceAttributes and nonResourceAttributes must be given"}
	}
	return document.NewObject().With("allowed", document.NewBool(true)), nil
}

// everyRule allows every verb on everything.
func everyRule(spec document.Value, _ defaults.User) (document.Value, error) {
	if spec.Get("namespace").StringOr("") == "" {
		return document.Value{}, errors.New("spec.namespace must name the namespace that is asked about")
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
		With("error", document.NewString("no token is known here: this server has no users")), nil
}

// whoAmI describes the user who asks.
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
