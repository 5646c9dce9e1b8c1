package rbac

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// Cluster is a cluster that answers only the requests that the roles of their users allow.
type Cluster struct{ *cluster.Cluster }

// Do answers a request, or refuses it with 403. A non-nil error is always a [*cluster.Status].
func (c Cluster) Do(ctx context.Context, r *cluster.Request) (*cluster.Response, error) {
	r, st := authorize(ctx, c.Cluster, r)
	if st != nil {
		return nil, st
	}
	resp, err := c.Cluster.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	return c.reviewed(ctx, r, resp)
}

// Read answers a get, list or watch, or refuses it with 403. A non-nil error is always a
// [*cluster.Status].
func (c Cluster) Read(ctx context.Context, r *cluster.Request) (*cluster.Reading, error) {
	r, st := authorize(ctx, c.Cluster, r)
	if st != nil {
		return nil, st
	}
	return c.Cluster.Read(ctx, r)
}

// Authorize returns the refusal of a request, a [*cluster.Status], without answering it; nil if its
// user may send it.
func (c Cluster) Authorize(ctx context.Context, r *cluster.Request) error {
	if _, st := authorize(ctx, c.Cluster, r); st != nil {
		return st
	}
	return nil
}

// AuthorizePath returns the refusal of a request for a path other than that of objects, a
// [*cluster.Status]; nil if the user may send it. The verb is the method in lower case. The
// impersonator is the zero User if nobody impersonates the user.
func (c Cluster) AuthorizePath(ctx context.Context, u, impersonator cluster.User, verb, path string) error {
	a := action{verb: verb, nonResource: true, path: path}
	u, st := impersonate(ctx, c.Cluster, u, impersonator, a)
	if st != nil {
		return st
	}
	if st := check(ctx, c.Cluster, u, &a); st != nil {
		return st
	}
	return nil
}

// authorize returns the request with the user whose rights it has, or the refusal if that user is not
// allowed to send it.
func authorize(ctx context.Context, c *cluster.Cluster, r *cluster.Request) (*cluster.Request, *cluster.Status) {
	a := actionOf(r)
	if r.Impersonator.Name != "" {
		u, st := impersonate(ctx, c, r.User, r.Impersonator, *a)
		if st != nil {
			return nil, st
		}
		as := *r
		as.User = u
		r = &as
	}
	if st := check(ctx, c, r.User, a); st != nil {
		return nil, st
	}
	return r, checkStream(ctx, c, r, *a)
}

// checkStream refuses to open a stream to a container with GET, as clients that use WebSockets do, without the
// right to open one with POST, from Kubernetes 1.35 (feature gate AuthorizePodWebsocketUpgradeCreatePermission).
// Unlike other refusals, this one does not name what the user lacks.
func checkStream(ctx context.Context, c *cluster.Cluster, r *cluster.Request, a action) *cluster.Status {
	streams := r.Subresource == "exec" || r.Subresource == "attach" || r.Subresource == "portforward"
	if !streams || r.Verb != cluster.Get || r.Group != "" || r.Resource != "pods" || !c.Kinds().Catalog().Since("1.35") {
		return nil
	}
	a.verb = cluster.Create.String()
	allowed, reason, err := decide(ctx, c, r.User, &a)
	switch {
	case err != nil:
		return internal(err)
	case allowed:
		return nil
	}
	return &cluster.Status{Code: 403, Reason: cluster.ReasonForbidden, Message: fmt.Sprintf("pods %q is forbidden: %s", r.Name, reason),
		Details: &cluster.StatusDetails{Kind: r.Resource, Name: r.Name}}
}

// exempt reports whether a user may do everything: a member of system:masters, and the process itself.
func exempt(u cluster.User) bool {
	return isProcess(u) || slices.Contains(u.Groups, names.Superusers)
}

// isProcess reports whether a user is nobody, as in the requests of the process itself.
func isProcess(u cluster.User) bool { return u.Name == "" && len(u.Groups) == 0 }

// actionOf returns what a request does. The namespace of a Namespace is its own name. A list or watch of the object that its
// field selector names needs the right to that object alone, as kubectl get --watch does, unless its path is of the
// deprecated form (apiserver/pkg/endpoints/request).
func actionOf(r *cluster.Request) *action {
	a := &action{verb: r.Verb.String(), group: r.Group, resource: r.Resource, sub: r.Subresource, namespace: r.Namespace, name: r.Name}
	if a.group == "" && a.resource == "namespaces" && a.name != "" {
		a.namespace = a.name
	}
	if a.name == "" && (r.Verb == cluster.List || r.Verb == cluster.Watch && !r.WatchByPath) {
		if name := r.SelectedName(); names.PathSegment(name) == "" {
			a.name = name
		}
	}
	return a
}

// check returns the refusal of an action, nil if the user's roles allow it.
func check(ctx context.Context, c *cluster.Cluster, u cluster.User, a *action) *cluster.Status {
	allowed, reason, err := decide(ctx, c, u, a)
	switch {
	case err != nil:
		return internal(err)
	case allowed:
		return nil
	}
	return refusal(u, a, reason)
}

// refusal returns the refusal of an action; reason may be empty.
func refusal(u cluster.User, a *action, reason string) *cluster.Status {
	why := fmt.Sprintf("User %q cannot %s %s", u.Name, a.verb, a.place())
	if reason != "" {
		why += ": " + reason
	}
	what := ""
	if a.resource != "" {
		what = a.resource
		if a.group != "" {
			what += "." + a.group
		}
		if a.name != "" {
			what += fmt.Sprintf(" %q", a.name)
		}
		what += " is "
	}
	return &cluster.Status{Code: 403, Reason: cluster.ReasonForbidden, Message: what + "forbidden: " + why,
		Details: &cluster.StatusDetails{Group: a.group, Kind: a.resource, Name: a.name}}
}

// decide reports whether a user may do something, and why, in kube-apiserver's words.
func decide(ctx context.Context, c *cluster.Cluster, u cluster.User, a *action) (allowed bool, reason string, err error) {
	if exempt(u) {
		return true, "", nil
	}
	g, err := grantsOf(ctx, c, u, a.namespace)
	if err != nil {
		return false, "", err
	}
	if found := g.find(a); found != nil {
		return true, "RBAC: allowed by " + found.source, nil
	}
	if missing := g.describeMissing((*missingRole).Error); missing != "" {
		return false, "RBAC: " + missing, nil
	}
	return false, "", nil
}

func internal(err error) *cluster.Status {
	return &cluster.Status{Code: 500, Reason: cluster.ReasonInternal, Message: "Internal error occurred: " + err.Error(), Err: err}
}
