package rbac

import (
	"context"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// checkImpersonation returns the refusal of an action whose sender may not impersonate the user: the
// verb impersonate is needed for the user or service account and for each group, uid and extra
// field. The refusal names the verb that kube-apiserver 1.36 asks for last, of its constrained
// impersonation (KEP-5284).
func checkImpersonation(ctx context.Context, c *cluster.Cluster, u, impersonator cluster.User, a action) *cluster.Status {
	if exempt(impersonator) {
		return nil
	}
	for _, needed := range impersonations(u) {
		switch allowed, _, err := decide(ctx, c, impersonator, &needed); {
		case err != nil:
			return internal(err)
		case !allowed:
			mode := "user-info"
			if _, _, ok := names.ServiceAccount(u.Name); ok {
				mode = "serviceaccount"
			}
			a.verb = "impersonate-on:" + mode + ":" + a.verb
			return refusal(impersonator, &a, "")
		}
	}
	return nil
}

// impersonations returns the actions that impersonating a user consists of.
func impersonations(u cluster.User) []action {
	const verb = "impersonate"
	own := []string{"system:authenticated", "system:unauthenticated"} // of the groups that the server adds
	first := action{verb: verb, resource: "users", name: u.Name}
	if namespace, name, ok := names.ServiceAccount(u.Name); ok {
		first = action{verb: verb, resource: "serviceaccounts", namespace: namespace, name: name}
		own = append(own, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
	} else if strings.HasPrefix(u.Name, "system:node:") {
		own = append(own, "system:nodes")
	}
	needed := []action{first}
	for _, g := range u.Groups {
		if !slices.Contains(own, g) {
			needed = append(needed, action{verb: verb, resource: "groups", name: g})
		}
	}
	const authentication = "authentication.k8s.io"
	if u.UID != "" {
		needed = append(needed, action{verb: verb, group: authentication, resource: "uids", name: u.UID})
	}
	for key, values := range u.Extra {
		for _, value := range values {
			needed = append(needed, action{verb: verb, group: authentication, resource: "userextras", sub: key, name: value})
		}
	}
	return needed
}
