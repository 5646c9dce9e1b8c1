package rbac

import (
	"context"
	"maps"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// The ways to impersonate a user: with the verb impersonate, or with the verbs of constrained
// impersonation (KEP-5284, from Kubernetes 1.36), which also depend on the request.
const (
	legacy         = ""
	associatedNode = "associated-node"
	arbitraryNode  = "arbitrary-node"
	serviceAccount = "serviceaccount"
	userInfo       = "user-info"
)

const (
	authentication = "authentication.k8s.io"
	// nodeKey is the extra field with the node of a pod to whose account a token belongs.
	nodeKey = names.TokenExtra + "node-name"
	// From this number of groups or extra values on, the right to "*" replaces the check of each.
	many = 4
)

// impersonation is a request of a user who takes the identity of another one.
type impersonation struct {
	by cluster.User
	on action
	// user is the identity as it was asked for: without the groups that the server adds.
	user               cluster.User
	namespace, account string // of the service account that user is
	node               string // that user is
}

// impersonate returns the user whose rights apply to an action, or the refusal, in kube-apiserver's words and
// for the first way that is possible. The user is u, except that legacy impersonation of a node adds no group that
// follows from the name.
func impersonate(ctx context.Context, c *cluster.Cluster, u, impersonator cluster.User, a action) (cluster.User, *cluster.Status) {
	if exempt(impersonator) {
		return u, nil
	}
	i := impersonation{by: impersonator, on: a, user: u}
	if namespace, name, ok := names.ServiceAccount(u.Name); ok {
		i.namespace, i.account = namespace, name
	}
	i.node, _ = names.Node(u.Name)
	i.user.Groups = i.askedGroups()
	var refused *cluster.Status
	for _, way := range i.ways(c.Kinds().Catalog().Since("1.36")) {
		st := i.check(ctx, c, way)
		if st == nil {
			if way == legacy && i.node != "" && len(i.user.Groups) == 0 {
				u.Groups = []string{names.Authenticated}
			}
			return u, nil
		}
		if refused == nil {
			refused = st
		}
	}
	return u, refused
}

// askedGroups returns the groups that the impersonator has asked for: without the last one, which the
// server adds, and none if they are those that follow from the name.
func (i *impersonation) askedGroups() []string {
	groups, added := i.user.Groups, names.Authenticated
	if i.user.Name == names.Anonymous {
		added = names.Unauthenticated
	}
	if n := len(groups); n > 0 && groups[n-1] == added {
		groups = groups[:n-1]
	}
	var implied []string
	switch {
	case i.account != "":
		implied = names.ServiceAccountGroups(i.namespace)
	case i.node != "":
		implied = []string{names.Nodes}
	}
	if slices.Equal(groups, implied) {
		return nil
	}
	return groups
}

// ways returns the ways to impersonate the user, in kube-apiserver's order.
func (i *impersonation) ways(constrained bool) []string {
	var ways []string
	nameOnly := i.user.UID == "" && len(i.user.Groups) == 0 && len(i.user.Extra) == 0
	switch {
	case !constrained:
	case i.node != "":
		if nameOnly && i.runsOnNode() {
			ways = append(ways, associatedNode)
		}
		if nameOnly {
			ways = append(ways, arbitraryNode)
		}
	case i.account != "":
		if nameOnly {
			ways = append(ways, serviceAccount)
		}
	default:
		ways = append(ways, userInfo)
	}
	return append(ways, legacy)
}

// runsOnNode reports whether the impersonator is the service account of a pod on the node.
func (i *impersonation) runsOnNode() bool {
	_, _, ok := names.ServiceAccount(i.by.Name)
	return ok && slices.Equal(i.by.Extra[nodeKey], []string{i.node})
}

// check returns the refusal of one way to impersonate the user.
func (i *impersonation) check(ctx context.Context, c *cluster.Cluster, way string) *cluster.Status {
	allowed := func(a action) *cluster.Status { return check(ctx, c, i.by, &a) }
	verb, group := "impersonate", ""
	if way != legacy {
		on := i.on
		on.verb = "impersonate-on:" + way + ":" + on.verb
		if st := allowed(on); st != nil {
			return st
		}
		verb, group = "impersonate:"+way, authentication
	}
	if st := allowed(i.name(way, verb, group)); st != nil {
		return st
	}
	if i.user.UID != "" {
		if st := allowed(action{verb: verb, group: authentication, resource: "uids", name: i.user.UID}); st != nil {
			return st
		}
	}
	if st := i.checkGroups(way, action{verb: verb, group: group, resource: "groups"}, allowed); st != nil {
		return st
	}
	return i.checkExtra(way, action{verb: verb, group: authentication, resource: "userextras"}, allowed)
}

// name returns the action of taking the name of the user.
func (i *impersonation) name(way, verb, group string) action {
	switch {
	case i.account != "":
		return action{verb: verb, group: group, resource: "serviceaccounts", namespace: i.namespace, name: i.account}
	case way == associatedNode:
		return action{verb: verb, group: group, resource: "nodes", name: all} // the rule has to allow every node
	case way == arbitraryNode:
		return action{verb: verb, group: group, resource: "nodes", name: i.node}
	}
	return action{verb: verb, group: group, resource: "users", name: i.user.Name}
}

func (i *impersonation) checkGroups(way string, a action, allowed func(action) *cluster.Status) *cluster.Status {
	groups := i.user.Groups
	if way != legacy {
		switch {
		case slices.Contains(groups, ""):
			return refusal(i.by, &a, "impersonating the empty string group is not allowed")
		case slices.Contains(groups, names.Superusers):
			a.name = names.Superusers
			return refusal(i.by, &a, "impersonating the system:masters group is not allowed")
		}
		if a.name = all; len(groups) >= many && allowed(a) == nil {
			return nil
		}
	}
	for _, a.name = range groups {
		if st := allowed(a); st != nil {
			return st
		}
	}
	return nil
}

func (i *impersonation) checkExtra(way string, a action, allowed func(action) *cluster.Status) *cluster.Status {
	keys := slices.Sorted(maps.Keys(i.user.Extra))
	if way != legacy {
		count := 0
		for _, key := range keys {
			if why := refuseExtra(key, i.user.Extra[key]); why != "" {
				return refusal(i.by, &a, why)
			}
			count += len(i.user.Extra[key])
		}
		if a.sub, a.name = all, all; count >= many && allowed(a) == nil {
			return nil
		}
	}
	for _, a.sub = range keys {
		for _, a.name = range i.user.Extra[a.sub] {
			if st := allowed(a); st != nil {
				return st
			}
		}
	}
	return nil
}

// refuseExtra returns why constrained impersonation does not allow an extra field, "" if it does.
func refuseExtra(key string, values []string) string {
	if why := names.DomainPrefixedPath(key); why != "" {
		return "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: \"" + key + "\": " + why
	}
	if slices.Contains(values, "") {
		return "impersonating the empty string value in extra is not allowed"
	}
	return ""
}
