package rbac

import (
	"context"
	"errors"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// reviewed returns the response to an access review with the decision as its status, and any other
// response as it is.
func (c Cluster) reviewed(ctx context.Context, r *cluster.Request, resp *cluster.Response) (*cluster.Response, error) {
	if r.Verb != cluster.Create || r.Group != "authorization.k8s.io" {
		return resp, nil
	}
	spec, u := resp.Object.Get("spec"), r.User
	var status document.Value
	var err error
	switch r.Resource {
	case "selfsubjectaccessreviews":
		status, err = c.review(ctx, u, spec)
	case "subjectaccessreviews", "localsubjectaccessreviews":
		status, err = c.review(ctx, userOf(spec), spec)
	case "selfsubjectrulesreviews":
		status, err = c.rules(ctx, r)
	default:
		return resp, nil
	}
	if err != nil {
		return nil, internal(err)
	}
	if ignored := resp.Object.Lookup("status", "evaluationError"); ignored.Exists() {
		status = status.With("evaluationError", ignored)
	}
	out := *resp
	out.Object = resp.Object.With("status", status)
	return &out, nil
}

// userOf returns the user that the spec of a SubjectAccessReview names.
func userOf(spec document.Value) cluster.User {
	u := cluster.User{Name: spec.Get("user").StringOr("")}
	for _, g := range spec.Get("groups").Items() {
		u.Groups = append(u.Groups, g.StringOr(""))
	}
	return u
}

// Review returns the status of a SubjectAccessReview (authorization.k8s.io/v1) about a user: allowed, and
// the reason if there is one. Of the spec it reads resourceAttributes and nonResourceAttributes. The user
// has a name or a group, as the spec of a SubjectAccessReview must have. An error means that there is
// neither, or that the roles could not be read.
func (c Cluster) Review(ctx context.Context, u cluster.User, spec document.Value) (document.Value, error) {
	if isProcess(u) {
		return document.Value{}, errNobody
	}
	return c.review(ctx, u, spec)
}

// errNobody is the error for a review about nobody, whose requests would be those of the process.
var errNobody = errors.New("a review requires a user with a name or a group")

// review is Review for the user of a request, which may come from the process itself.
func (c Cluster) review(ctx context.Context, u cluster.User, spec document.Value) (document.Value, error) {
	text := func(of document.Value, key string) string { return of.Get(key).StringOr("") }
	resource, path := spec.Get("resourceAttributes"), spec.Get("nonResourceAttributes")
	a := &action{verb: text(path, "verb"), nonResource: true, path: text(path, "path")}
	if resource.Exists() {
		a = &action{verb: text(resource, "verb"), group: text(resource, "group"), resource: text(resource, "resource"),
			sub: text(resource, "subresource"), namespace: text(resource, "namespace"), name: text(resource, "name")}
	}
	allowed, reason, err := decide(ctx, c.Cluster, u, a)
	status := document.NewObject().With("allowed", document.NewBool(allowed))
	if reason != "" {
		status = status.With("reason", document.NewString(reason))
	}
	return status, err
}

// rules returns the status of a SelfSubjectRulesReview: the rules that the user has in a namespace.
func (c Cluster) rules(ctx context.Context, r *cluster.Request) (document.Value, error) {
	body := r.Document // the response does not have the spec
	if body == nil {
		var err error
		if body, err = document.ParseYAML(r.Body, document.Options{}); err != nil {
			return document.Value{}, err
		}
	}
	g, err := grantsOf(ctx, c.Cluster, r.User, body.Root.Lookup("spec", "namespace").StringOr(""))
	if err != nil {
		return document.Value{}, err
	}
	var resources, paths document.ListBuilder
	for _, held := range g.rules {
		verbs := document.NewObject().With("verbs", document.NewStrings(held.verbs...))
		if len(held.resources) > 0 {
			rule := verbs.With("apiGroups", document.NewStrings(held.groups...)).With("resources", document.NewStrings(held.resources...))
			if len(held.names) > 0 {
				rule = rule.With("resourceNames", document.NewStrings(held.names...))
			}
			resources.Append(rule)
		}
		if len(held.paths) > 0 {
			paths.Append(verbs.With("nonResourceURLs", document.NewStrings(held.paths...)))
		}
	}
	status := document.NewObject().With("resourceRules", resources.List()).With("nonResourceRules", paths.List()).
		With("incomplete", document.NewBool(false))
	if missing := g.describeMissing((*missingRole).Error); missing != "" {
		status = status.With("evaluationError", document.NewString(missing))
	}
	return status, nil
}
