package kinds

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// A Review answers access and token reviews. Everything is allowed to every user, as with
// --authorization-mode=AlwaysAllow.
type Review struct {
	// Returned returns the review that was sent, with managedFields. Without it, the response
	// has nothing but the status.
	Returned bool
	// Timed adds a creationTimestamp to the response.
	Timed bool
	// Check refuses a spec with 400; nil accepts all.
	Check func(spec document.Value) error
	// Status returns the status of the response. It is nil for a TokenReview, whose token the
	// cluster has to check.
	Status func(user defaults.User) document.Value
}

// IsReview reports whether a built-in resource is an access or token review, which admission
// policies, and from Kubernetes 1.37 on admission webhooks, do not apply to: they could
// otherwise lock everyone out (kube-apiserver, pkg/kubeapiserver/admission/exclusion).
func IsReview(group, resource string) bool {
	s := builtin(group, resource)
	return s != nil && s.Review != nil
}

func reviewStrategy(group, resource string, r Review) Strategy {
	return Strategy{Group: group, Resource: resource, Name: subdomainName, Review: &r}
}

// selfSubjectReviewStrategy is the strategy of authentication.k8s.io/v1 SelfSubjectReview.
var selfSubjectReviewStrategy = reviewStrategy("authentication.k8s.io", "selfsubjectreviews", Review{Timed: true, Status: whoAmI})

// tokenReviewStrategy is the strategy of authentication.k8s.io/v1 TokenReview.
var tokenReviewStrategy = reviewStrategy("authentication.k8s.io", "tokenreviews", Review{Returned: true, Check: hasToken})

// localSubjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 LocalSubjectAccessReview.
var localSubjectAccessReviewStrategy = reviewStrategy("authorization.k8s.io", "localsubjectaccessreviews", Review{Returned: true, Status: allowed})

// selfSubjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 SelfSubjectAccessReview.
var selfSubjectAccessReviewStrategy = reviewStrategy("authorization.k8s.io", "selfsubjectaccessreviews", Review{Returned: true, Status: allowed})

// selfSubjectRulesReviewStrategy is the strategy of authorization.k8s.io/v1 SelfSubjectRulesReview.
var selfSubjectRulesReviewStrategy = reviewStrategy("authorization.k8s.io", "selfsubjectrulesreviews", Review{Check: hasNamespace, Status: everyRule})

// subjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 SubjectAccessReview.
var subjectAccessReviewStrategy = reviewStrategy("authorization.k8s.io", "subjectaccessreviews", Review{Returned: true, Status: allowed})

func allowed(defaults.User) document.Value {
	return document.NewObject().With("allowed", document.NewBool(true))
}

func hasNamespace(spec document.Value) error {
	if spec.Get("namespace").StringOr("") == "" {
		return errors.New("no namespace on request")
	}
	return nil
}

// everyRule returns rules that allow every verb on every resource.
func everyRule(defaults.User) document.Value {
	all := document.NewList(document.NewString("*"))
	object := document.NewObject
	return object().
		With("resourceRules", document.NewList(object().With("verbs", all).With("apiGroups", all).With("resources", all))).
		With("nonResourceRules", document.NewList(object().With("verbs", all).With("nonResourceURLs", all))).
		With("incomplete", document.NewBool(false))
}

func hasToken(spec document.Value) error {
	if spec.Get("token").StringOr("") == "" {
		return errors.New("token is required for TokenReview in authentication")
	}
	return nil
}

// whoAmI returns the attributes of the requesting user.
func whoAmI(u defaults.User) document.Value {
	return document.NewObject().With("userInfo", UserInfo(u))
}

// UserInfo returns a user as a UserInfo of authentication.k8s.io/v1.
func UserInfo(u defaults.User) document.Value {
	out := document.NewObject().With("username", document.NewString(u.Name))
	if u.UID != "" {
		out = out.With("uid", document.NewString(u.UID))
	}
	if len(u.Groups) > 0 {
		out = out.With("groups", document.NewStrings(u.Groups...))
	}
	if len(u.Extra) > 0 {
		extra := document.NewObject()
		for key, values := range u.Extra {
			extra = extra.With(key, document.NewStrings(values...))
		}
		out = out.With("extra", extra)
	}
	return out
}
