package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/plugins"
)

// Configure adds checks to the admission of a cluster: a user may not write a role with rights that
// the user does not have, unless a role allows the verb escalate, nor bind one, unless a role
// allows the verb bind. Requests for certificates are approved and signed only with the verbs
// approve and sign for their signer, and the status of ResourceClaims is written only with the rights for
// their binding and their drivers.
func Configure(config *cluster.Config) error {
	const name = "RBAC"
	return plugins.Configure(config, []string{name}, plugins.Plugin{Name: name, New: func(c *cluster.Cluster) func(context.Context, *cluster.Attributes) *cluster.Status {
		return func(ctx context.Context, a *cluster.Attributes) *cluster.Status {
			if !a.Resource.Builtin || exempt(a.Request.User) {
				return nil
			}
			switch a.Resource.Group {
			case group:
				return (&escalation{c}).check(ctx, a)
			case certificates:
				return checkSigner(ctx, c, a)
			case dynamicResources:
				return checkClaim(ctx, c, a)
			}
			return nil
		}
	}})
}

// escalation refuses writes that grant too much.
type escalation struct{ cluster *cluster.Cluster }

func (e *escalation) check(ctx context.Context, a *cluster.Attributes) *cluster.Status {
	var rules []rule
	may := action{verb: "escalate", group: group, resource: a.Resource.Resource, namespace: a.Namespace, name: a.Name}
	switch a.Resource.Resource {
	case "roles", "clusterroles":
		if document.Equal(a.Object.Get("rules"), a.Old.Get("rules")) && document.Equal(a.Object.Get("aggregationRule"), a.Old.Get("aggregationRule")) {
			return nil
		}
		rules = rulesIn(a.Object)
		if a.Object.Get("aggregationRule").Exists() { // it may aggregate everything
			rules = append(rules, rule{verbs: []string{all}, groups: []string{all}, resources: []string{all}}, rule{verbs: []string{all}, paths: []string{all}})
		}
	case "rolebindings", "clusterrolebindings":
		ref := a.Object.Get("roleRef")
		if document.Equal(ref, a.Old.Get("roleRef")) && document.Equal(a.Object.Get("subjects"), a.Old.Get("subjects")) {
			return nil
		}
		may.verb, may.resource, may.name = "bind", "clusterroles", ref.Get("name").StringOr("")
		if ref.Get("kind").StringOr("") == "Role" {
			may.resource = "roles"
		}
		var err error
		var missing *missingRole
		if rules, err = rulesOf(ctx, e.cluster, ref, a.Namespace); err != nil && !errors.As(err, &missing) {
			return internal(err)
		} else if err != nil {
			return e.unlessAllowed(ctx, a, &may, &cluster.Status{Code: 404, Reason: cluster.ReasonNotFound,
				Message: notFound(a, may.name), Details: &cluster.StatusDetails{Group: group, Kind: a.Resource.Resource, Name: may.name}})
		}
	default:
		return nil
	}
	g, err := grantsOf(ctx, e.cluster, a.Request.User, a.Namespace)
	if err != nil {
		return internal(err)
	}
	missing := g.missingOf(rules)
	if len(missing) == 0 {
		return nil
	}
	why := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		a.Request.User.Name, a.Request.User.Groups, strings.Join(missing, "\n"))
	if missing := g.describeMissing(func(m *missingRole) string { return notFound(a, m.name) }); missing != "" {
		why += "; resolution errors: [" + missing + "]"
	}
	return e.unlessAllowed(ctx, a, &may, a.Forbid(why))
}

// notFound returns the message that a role does not exist. As in kube-apiserver, it names the resource
// of the request.
func notFound(a *cluster.Attributes, role string) string {
	return fmt.Sprintf("%s.%s %q not found", a.Resource.Resource, group, role)
}

// unlessAllowed returns a refusal, or nil if the user has the right to do it nevertheless.
func (e *escalation) unlessAllowed(ctx context.Context, a *cluster.Attributes, may *action, refusal *cluster.Status) *cluster.Status {
	switch allowed, _, err := decide(ctx, e.cluster, a.Request.User, may); {
	case err != nil:
		return internal(err)
	case allowed:
		return nil
	}
	return refusal
}

// missingOf describes what rules allow beyond the grants: for each group, resource and name the verbs,
// sorted by the text.
func (g *grants) missingOf(rules []rule) []string {
	var missing []rule
	for _, r := range rules {
		for one := range r.single() {
			if slices.ContainsFunc(g.rules, func(held grant) bool { return held.covers(&one) }) {
				continue
			}
			i := slices.IndexFunc(missing, func(m rule) bool {
				return slices.Equal(m.groups, one.groups) && slices.Equal(m.resources, one.resources) && slices.Equal(m.names, one.names) && len(m.paths)+len(one.paths) == 0
			})
			if i < 0 {
				missing = append(missing, one)
			} else {
				missing[i].verbs = append(slices.Clip(missing[i].verbs), one.verbs...)
			}
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
