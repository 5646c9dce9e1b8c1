package rbac

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// registration is the API group of admission policies and their bindings.
const registration = "admissionregistration.k8s.io"

// checkPolicy refuses an admission policy whose parameters, or a binding to parameters that, the user may not
// read: the expressions of a policy could disclose them. kube-apiserver does so in the validation of these
// kinds.
func checkPolicy(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	if a.Request.Subresource != "" {
		return nil
	}
	switch a.Resource.Resource {
	case "validatingadmissionpolicies", "mutatingadmissionpolicies":
		return checkParamKind(ctx, c, a)
	case "validatingadmissionpolicybindings", "mutatingadmissionpolicybindings":
		return checkParamRef(ctx, c, a)
	}
	return nil
}

// checkParamKind requires the right to read all objects of a kind of parameters, unless an update leaves the
// kind as it is.
func checkParamKind(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	kind := a.Object.Lookup("spec", "paramKind")
	if !kind.Exists() || document.Equal(kind, a.Old.Lookup("spec", "paramKind")) {
		return nil
	}
	read := &action{verb: "get", namespace: all, name: all}
	read.ofParams(c, kind)
	allowed, _, err := decide(ctx, c, a.Request.User, read)
	switch {
	case err != nil:
		return internal(err)
	case allowed:
		return nil
	}
	return forbidParams(a, "paramKind", fmt.Sprintf(`user %s must have "get" permission on all objects of the referenced paramKind (kind=%s, apiVersion=%s)`,
		goUser(a.Request.User), kind.Get("kind").StringOr(""), kind.Get("apiVersion").StringOr("")))
}

// checkParamRef requires the right to read the parameters of a binding, in each update as well: of all
// resources if the policy or the resource of its parameters does not exist.
func checkParamRef(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	spec := a.Object.Get("spec")
	ref, policyName := spec.Get("paramRef"), spec.Get("policyName").StringOr("")
	if !ref.Exists() {
		return nil
	}
	policy, found, err := policyOf(ctx, c, a, policyName)
	if err != nil {
		return internal(err)
	}
	kind := policy.Lookup("spec", "paramKind")
	read := &action{verb: "get", namespace: ref.Get("namespace").StringOr(""), name: ref.Get("name").StringOr("")}
	if read.name == "" {
		read.verb = "list"
	}
	resolved := read.ofParams(c, kind)
	allowed, _, err := decide(ctx, c, a.Request.User, read)
	switch {
	case err != nil:
		return internal(err)
	case allowed:
		return nil
	}
	user := goUser(a.Request.User)
	const minimum = `to determine minimum required permissions and user %s does not have "%s" permission for all groups, versions and resources`
	why := fmt.Sprintf(`user %s does not have "%s" permission on the object referenced by paramRef`, user, read.verb)
	switch {
	case !found:
		why = fmt.Sprintf("unable to get policy %s "+minimum, policyName, user, read.verb)
	case !resolved:
		why = fmt.Sprintf("unable to resolve paramKind &{%s %s} "+minimum, kind.Get("apiVersion").StringOr(""), kind.Get("kind").StringOr(""), user, read.verb)
	case a.Resource.Resource == "mutatingadmissionpolicybindings": // kube-apiserver confuses the two
		why = fmt.Sprintf(`user %s does not have "%s" permission on the object referenced by paramRef`, read.verb, user)
	}
	return forbidParams(a, "paramRef", why)
}

// policyOf returns the policy of a binding.
func policyOf(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes, name string) (policy document.Value, found bool, err error) {
	resource := "validatingadmissionpolicies"
	if a.Resource.Resource == "mutatingadmissionpolicybindings" {
		resource = "mutatingadmissionpolicies"
	}
	resp, err := c.Do(ctx, &cluster.Request{Verb: cluster.Get, Group: registration, Version: a.Resource.Version, Resource: resource, Name: name})
	var st *cluster.Status
	switch {
	case errors.As(err, &st) && st.Reason == cluster.ReasonNotFound:
		return policy, false, nil
	case err != nil:
		return policy, false, err
	}
	return resp.Object, true, nil
}

// ofParams sets the group and the resource of an action to those of a kind of parameters. It reports whether
// the cluster serves the kind. What is not known is that of all groups or resources.
func (a *action) ofParams(c *cluster.Cluster, kind document.Value) bool {
	a.group, a.resource = all, all
	if !kind.Exists() {
		return true
	}
	group, version, ok := schema.SplitAPIVersion(kind.Get("apiVersion").StringOr(""))
	if !ok {
		return false
	}
	a.group = group
	k, ok := c.Kinds().Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind.Get("kind").StringOr("")})
	if !ok {
		return false
	}
	if _, ok = c.Kinds().Resource(group, version, k.Resource); ok {
		a.resource = k.Resource
	}
	return ok
}

// goUser returns a user in the form in which kube-apiserver's messages show it.
func goUser(u cluster.User) string {
	return fmt.Sprintf("&{%s %s %v %v}", u.Name, u.UID, u.Groups, u.Extra)
}

// forbidParams returns the refusal of a policy or binding because of a field of its spec.
func forbidParams(a *cluster.Attributes, field, why string) *cluster.Status {
	return invalid(a, []cluster.Cause{{
		Type: string(schema.ErrorForbidden), Message: "Forbidden: " + why, Field: "spec." + field, Path: document.Keys("spec", field),
	}})
}
