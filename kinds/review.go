package kinds

// selfSubjectReviewStrategy is the strategy of authentication.k8s.io/v1 SelfSubjectReview.
var selfSubjectReviewStrategy = Strategy{
	Group:    "authentication.k8s.io",
	Resource: "selfsubjectreviews",
	Name:     subdomainName,
}

// tokenReviewStrategy is the strategy of authentication.k8s.io/v1 TokenReview.
var tokenReviewStrategy = Strategy{
	Group:    "authentication.k8s.io",
	Resource: "tokenreviews",
	Name:     subdomainName,
}

// localSubjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 LocalSubjectAccessReview.
var localSubjectAccessReviewStrategy = Strategy{
	Group:    "authorization.k8s.io",
	Resource: "localsubjectaccessreviews",
	Name:     subdomainName,
}

// selfSubjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 SelfSubjectAccessReview.
var selfSubjectAccessReviewStrategy = Strategy{
	Group:    "authorization.k8s.io",
	Resource: "selfsubjectaccessreviews",
	Name:     subdomainName,
}

// selfSubjectRulesReviewStrategy is the strategy of authorization.k8s.io/v1 SelfSubjectRulesReview.
var selfSubjectRulesReviewStrategy = Strategy{
	Group:    "authorization.k8s.io",
	Resource: "selfsubjectrulesreviews",
	Name:     subdomainName,
}

// subjectAccessReviewStrategy is the strategy of authorization.k8s.io/v1 SubjectAccessReview.
var subjectAccessReviewStrategy = Strategy{
	Group:    "authorization.k8s.io",
	Resource: "subjectaccessreviews",
	Name:     subdomainName,
}
