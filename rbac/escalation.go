package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// checkGrant refuses a write of a role or a binding that grants rights which the user does not have. As in
// kube-apiserver, every update is checked, even if it leaves the rights as they are, unless it changes
// no more than garbage collection does.
func checkGrant(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	var right action // with which nothing is refused
	var confirm func(context.Context, *cluster.Cluster, *cluster.Attributes) *cluster.Status
	switch a.Resource.Resource {
	case "roles", "clusterroles":
		// A POST names no role, so that the right to escalate certain roles does not allow to create them.
		right = action{verb: "escalate", group: group, resource: a.Resource.Resource, namespace: a.Namespace, name: a.Request.Name}
		confirm = confirmRole
	case "rolebindings", "clusterrolebindings":
		ref := a.Object.Get("roleRef")
		right = action{verb: "bind", group: group, resource: "clusterroles", namespace: a.Namespace, name: ref.Get("name").StringOr("")}
		if ref.Get("kind").StringOr("") == "Role" {
			right.resource = "roles"
		}
		confirm = confirmBinding
	default:
		return nil
	}
	if a.Operation == cluster.OperationUpdate && onlyCollected(a) {
		return nil
	}
	switch allowed, _, err := decide(ctx, c, a.Request.User, &right); {
	case err != nil:
		return internal(err)
	case allowed:
		return nil
	}
	return confirm(ctx, c, a)
}

// confirmRole refuses a role unless the user has its rights. A role that aggregates others, or did so
// before, needs all rights, because any rule may become one of its own.
func confirmRole(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	g, err := grantsOf(ctx, c, a.Request.User, a.Namespace)
	if err != nil {
		return internal(err)
	}
	if st := g.confirm(a, rulesIn(a.Object)); st != nil {
		return st
	}
	everything := []rule{{verbs: []string{all}, groups: []string{all}, resources: []string{all}}, {verbs: []string{all}, paths: []string{all}}}
	if (aggregates(a.Object) || aggregates(a.Old)) && len(g.missingOf(everything)) > 0 {
		return a.Forbid("must have cluster-admin privileges to use the aggregationRule")
	}
	return nil
}

// aggregates reports whether a ClusterRole gets its rules from others.
func aggregates(role document.Value) bool {
	return role.Lookup("aggregationRule", "clusterRoleSelectors").Len() > 0
}

// confirmBinding refuses a binding unless the user has the rights of its role.
func confirmBinding(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	rules, err := rulesOf(ctx, c, a.Object.Get("roleRef"), a.Namespace)
	var missing *missingRole
	switch {
	case errors.As(err, &missing):
		return &cluster.Status{Code: 404, Reason: cluster.ReasonNotFound, Message: notFound(a, missing.name),
			Details: &cluster.StatusDetails{Group: group, Kind: a.Resource.Resource, Name: missing.name}}
	case err != nil:
		return internal(err)
	}
	g, err := grantsOf(ctx, c, a.Request.User, a.Namespace)
	if err != nil {
		return internal(err)
	}
	return g.confirm(a, rules)
}

// confirm refuses a write that grants rules beyond the grants of its user.
func (g *grants) confirm(a *cluster.Attributes, rules []rule) *cluster.Status {
	missing := g.missingOf(rules)
	if len(missing) == 0 {
		return nil
	}
	why := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		a.Request.User.Name, a.Request.User.Groups, strings.Join(missing, "\n"))
	if missing := g.describeMissing(func(m *missingRole) string { return notFound(a, m.name) }); missing != "" {
		why += "; resolution errors: [" + missing + "]"
	}
	return a.Forbid(why)
}

// notFound returns the message that a role does not exist. As in kube-apiserver, it names the resource
// of the request.
func notFound(a *cluster.Attributes, role string) string {
	return fmt.Sprintf("%s.%s %q not found", a.Resource.Resource, group, role)
}

// ruleTarget is what a rule with one group and resource, and at most one name, is about.
type ruleTarget struct {
	group, resource, name string
	named                 bool
}

func targetOf(one *rule) ruleTarget {
	t := ruleTarget{group: one.groups[0], resource: one.resources[0], named: len(one.names) > 0}
	if t.named {
		t.name = one.names[0]
	}
	return t
}

// missingOf describes what rules allow beyond the grants: for each group, resource and name the verbs,
// sorted by the text.
func (g *grants) missingOf(rules []rule) []string {
	var missing []rule
	indexes := map[ruleTarget]int{} // of the missing rules
	for _, r := range rules {
		for one := range r.single() {
			if slices.ContainsFunc(g.rules, func(held grant) bool { return held.covers(&one) }) {
				continue
			}
			if len(one.paths) == 0 {
				of := targetOf(&one)
				if i, known := indexes[of]; known {
					missing[i].verbs = append(missing[i].verbs, one.verbs...)
					continue
				}
				indexes[of] = len(missing)
				one.verbs = slices.Clone(one.verbs)
			}
			missing = append(missing, one)
		}
	}
	texts := make([]string, len(missing))
	for i, m := range missing {
		texts[i] = m.String()
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// String returns the rule in the words of kube-apiserver's refusals.
func (r *rule) String() string {
	var parts []string
	for _, part := range [...]struct {
		name  string
		texts []string
	}{{"APIGroups", r.groups}, {"Resources", r.resources}, {"NonResourceURLs", r.paths}, {"ResourceNames", r.names}, {"Verbs", r.verbs}} {
		if len(part.texts) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", part.name, part.texts))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
