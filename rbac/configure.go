package rbac

import (
	"context"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/plugins"
)

// Configure adds checks to the admission of a cluster: an update or apply creates an object only for a
// user who may create it. A user may not write a role with rights that the user does not have, unless a
// role allows the verb escalate, nor bind one, unless a role allows the verb bind. Requests for
// certificates are approved and signed only with the verbs approve and sign for their signer, and the
// status of ResourceClaims is written only with the rights for their binding and their drivers. Parameters
// of admission policies are named only by users who may read them.
func Configure(config *cluster.Config) error {
	const name = "RBAC"
	return plugins.Configure(config, []string{name}, plugins.Plugin{Name: name, New: func(c *cluster.Cluster) func(context.Context, *cluster.Attributes) *cluster.Status {
		return func(ctx context.Context, a *cluster.Attributes) *cluster.Status { return checkWrite(ctx, c, a) }
	}})
}

// checkWrite refuses a write without the rights that it needs beside those of the request. As in
// kube-apiserver, the rights to grant come first.
func checkWrite(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	if exempt(a.Request.User) {
		return nil
	}
	checked := "" // the group of a built-in resource
	if a.Resource.Builtin {
		checked = a.Resource.Group
	}
	if checked == group {
		if st := checkGrant(ctx, c, a); st != nil {
			return st
		}
	}
	if checked == registration {
		if st := checkPolicy(ctx, c, a); st != nil {
			return st
		}
	}
	if st := checkCreation(ctx, c, a); st != nil {
		return st
	}
	switch checked {
	case certificates:
		return checkSigner(ctx, c, a)
	case dynamicResources:
		return checkClaim(ctx, c, a)
	}
	return nil
}

// checkCreation refuses an update or apply that creates an object without the right to create it. Only
// now is it known that the object does not exist, and that it is valid.
func checkCreation(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	if a.Operation != cluster.OperationCreate || a.Request.Verb == cluster.Create {
		return nil
	}
	create := actionOf(a.Request)
	create.verb = cluster.Create.String()
	return check(ctx, c, a.Request.User, create)
}
