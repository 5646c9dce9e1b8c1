package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

const group = "rbac.authorization.k8s.io"

// grant is a rule that a user has, and the binding it comes from.
type grant struct {
	rule
	source string
}

// grants are the rules of a user. missing are the roles that bindings name and that do not exist.
type grants struct {
	rules   []grant
	missing []*missingRole
}

// grantsOf returns the rules that the bindings of the cluster, and of a namespace unless it is empty,
// give to a user.
func grantsOf(ctx context.Context, c *cluster.Cluster, u cluster.User, namespace string) (grants, error) {
	var g grants
	if err := g.add(ctx, c, u, "clusterrolebindings", ""); err != nil || namespace == "" {
		return g, err
	}
	return g, g.add(ctx, c, u, "rolebindings", namespace)
}

func (g *grants) add(ctx context.Context, c *cluster.Cluster, u cluster.User, resource, namespace string) error {
	resp, err := c.Do(ctx, &cluster.Request{Verb: cluster.List, Group: group, Version: "v1", Resource: resource, Namespace: namespace})
	if err != nil {
		return err
	}
	for _, binding := range resp.Items() {
		subject := subjectOf(binding, u, namespace)
		if !subject.Exists() {
			continue
		}
		rules, err := rulesOf(ctx, c, binding.Get("roleRef"), namespace)
		var missing *missingRole
		if errors.As(err, &missing) {
			g.missing = append(g.missing, missing)
			continue
		}
		if err != nil {
			return err
		}
		source := describe(binding, subject, namespace)
		for _, r := range rules {
			g.rules = append(g.rules, grant{rule: r, source: source})
		}
	}
	return nil
}

// find returns the first grant that allows an action, nil if there is none.
func (g *grants) find(a *action) *grant {
	i := slices.IndexFunc(g.rules, func(r grant) bool { return r.allows(a) })
	if i < 0 {
		return nil
	}
	return &g.rules[i]
}

// describeMissing describes the roles that do not exist, each once; "" if there are none.
func (g *grants) describeMissing(words func(*missingRole) string) string {
	var texts []string
	for _, m := range g.missing {
		if text := words(m); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) > 1 {
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return strings.Join(texts, "")
}

// subjectOf returns the subject of a binding that is the user or one of the user's groups, absent if
// there is none. The namespace of a service account without one is that of the binding.
func subjectOf(binding document.Value, u cluster.User, namespace string) document.Value {
	for _, s := range binding.Get("subjects").Items() {
		name := s.Get("name").StringOr("")
		switch s.Get("kind").StringOr("") {
		case "User":
			if name == u.Name {
				return s
			}
		case "Group":
			if slices.Contains(u.Groups, name) {
				return s
			}
		case "ServiceAccount":
			if u.Name == names.ServiceAccountUser(s.Get("namespace").StringOr(namespace), name) {
				return s
			}
		}
	}
	return document.Value{}
}

// describe describes a binding in the words of kube-apiserver's reasons.
func describe(binding, subject document.Value, namespace string) string {
	kind, name := "ClusterRoleBinding", binding.Lookup("metadata", "name").StringOr("")
	if namespace != "" {
		kind, name = "RoleBinding", name+"/"+namespace
	}
	subjectKind, who := subject.Get("kind").StringOr(""), subject.Get("name").StringOr("")
	if subjectKind == "ServiceAccount" {
		who += "/" + subject.Get("namespace").StringOr(namespace)
	}
	return fmt.Sprintf("%s %q of %s %q to %s %q", kind, name, binding.Lookup("roleRef", "kind").StringOr(""),
		binding.Lookup("roleRef", "name").StringOr(""), subjectKind, who)
}

// missingRole is the error for a role that does not exist.
type missingRole struct{ kind, name string }

func (m *missingRole) Error() string {
	return fmt.Sprintf("%s.%s %q not found", strings.ToLower(m.kind), group, m.name)
}

// rulesOf returns the rules of the role that a binding in a namespace refers to.
func rulesOf(ctx context.Context, c *cluster.Cluster, ref document.Value, namespace string) ([]rule, error) {
	q := &cluster.Request{Verb: cluster.Get, Group: group, Version: "v1", Resource: "clusterroles", Name: ref.Get("name").StringOr("")}
	kind := ref.Get("kind").StringOr("")
	if kind == "Role" {
		q.Resource, q.Namespace = "roles", namespace
	}
	resp, err := c.Do(ctx, q)
	var st *cluster.Status
	switch {
	case errors.As(err, &st) && st.Reason == cluster.ReasonNotFound:
		return nil, &missingRole{kind, q.Name}
	case err != nil:
		return nil, err
	}
	return rulesIn(resp.Object), nil
}

// rulesIn returns the rules of a Role or ClusterRole.
func rulesIn(role document.Value) []rule {
	var rules []rule
	for _, r := range role.Get("rules").Items() {
		rules = append(rules, ruleOf(r))
	}
	return rules
}
