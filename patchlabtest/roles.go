package patchlabtest

import (
	"context"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/component-helpers/auth/rbac/validation"

	"github.com/patchlab-dev/patchlab/cluster"
)

// roles authorizes requests by the current RBAC objects of a cluster. Members of
// system:masters may do everything.
type roles struct{ cluster *cluster.Cluster }

const rbacGroup = "rbac.authorization.k8s.io"

// check returns the error for a request that its user is not allowed to send, otherwise nil.
func (a *roles) check(r *cluster.Request) *cluster.Status {
	if slices.Contains(r.User.Groups, "system:masters") {
		return nil
	}
	resource := r.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	wanted := rbacv1.PolicyRule{Verbs: []string{r.Verb.String()}, APIGroups: []string{r.Group}, Resources: []string{resource}}
	if r.Name != "" {
		wanted.ResourceNames = []string{r.Name}
	}
	rules, err := a.rules(r)
	if err != nil {
		return &cluster.Status{Code: 500, Reason: cluster.ReasonInternal, Message: err.Error(), Err: err}
	}
	if allowed, _ := validation.Covers(rules, []rbacv1.PolicyRule{wanted}); allowed {
		return nil
	}
	what, scope := r.Resource, "at the cluster scope"
	if r.Group != "" {
		what += "." + r.Group
	}
	if r.Namespace != "" {
		scope = fmt.Sprintf("in the namespace %q", r.Namespace)
	}
	message := what
	if r.Name != "" {
		message += fmt.Sprintf(" %q", r.Name)
	}
	return &cluster.Status{Code: 403, Reason: cluster.ReasonForbidden,
		Message: fmt.Sprintf("%s is forbidden: User %q cannot %s resource %q in API group %q %s", message, r.User.Name, r.Verb, resource, r.Group, scope),
		Details: &cluster.StatusDetails{Group: r.Group, Kind: r.Resource, Name: r.Name}}
}

// rules returns the rules of all roles that are bound to the request's user in its namespace.
func (a *roles) rules(r *cluster.Request) ([]rbacv1.PolicyRule, error) {
	global, err := list[rbacv1.ClusterRoleBinding](a.cluster, "clusterrolebindings", "")
	if err != nil {
		return nil, err
	}
	var out []rbacv1.PolicyRule
	for _, b := range global {
		if bound(b.Subjects, r.User, "") {
			out = append(out, a.role(b.RoleRef, "")...)
		}
	}
	if r.Namespace == "" {
		return out, nil
	}
	local, err := list[rbacv1.RoleBinding](a.cluster, "rolebindings", r.Namespace)
	for _, b := range local {
		if bound(b.Subjects, r.User, r.Namespace) {
			out = append(out, a.role(b.RoleRef, r.Namespace)...)
		}
	}
	return out, err
}

// role returns the rules of a role. A role that does not exist has none.
func (a *roles) role(ref rbacv1.RoleRef, namespace string) []rbacv1.PolicyRule {
	q := &cluster.Request{Verb: cluster.Get, Group: rbacGroup, Version: "v1", Resource: "clusterroles", Name: ref.Name}
	if ref.Kind == "Role" {
		q.Resource, q.Namespace = "roles", namespace
	}
	resp, err := a.cluster.Do(context.Background(), q)
	if err != nil {
		return nil
	}
	var role rbacv1.ClusterRole // a Role has its rules in the same field
	if json.Unmarshal(resp.Object.JSON(), &role) != nil {
		return nil
	}
	return role.Rules
}

// bound reports whether a subject matches the user. The namespace of a service account without
// one is that of the binding.
func bound(subjects []rbacv1.Subject, u cluster.User, namespace string) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		switch s.Kind {
		case rbacv1.UserKind:
			return s.Name == u.Name
		case rbacv1.GroupKind:
			return slices.Contains(u.Groups, s.Name)
		case rbacv1.ServiceAccountKind:
			if s.Namespace != "" {
				namespace = s.Namespace
			}
			return u.Name == "system:serviceaccount:"+namespace+":"+s.Name
		}
		return false
	})
}

func list[T any](c *cluster.Cluster, resource, namespace string) ([]T, error) {
	resp, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.List, Group: rbacGroup, Version: "v1", Resource: resource, Namespace: namespace})
	if err != nil {
		return nil, err
	}
	var out []T
	for _, item := range resp.Object.Get("items").Items() {
		var typed T
		if err := json.Unmarshal(item.JSON(), &typed); err != nil {
			return nil, err
		}
		out = append(out, typed)
	}
	return out, nil
}
