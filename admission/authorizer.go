package admission

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/rbac"
)

// roles is the authorizer that decides by the roles in a cluster.
type roles struct{ rbac.Cluster }

// authorize is an authorizer of kube-apiserver. RBAC does not look at selectors.
func (r roles) authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	var u cluster.User
	if by := a.GetUser(); by != nil {
		u = cluster.User{Name: by.GetName(), UID: by.GetUID(), Groups: by.GetGroups(), Extra: by.GetExtra()}
	}
	if u.Name == "" && len(u.Groups) == 0 { // a request of the process itself, which needs no authorization
		return authorizer.DecisionAllow, "", nil
	}
	attributes, of := "nonResourceAttributes", document.NewObject().With("verb", document.NewString(a.GetVerb()))
	if a.IsResourceRequest() {
		attributes = "resourceAttributes"
		for key, value := range map[string]string{
			"group": a.GetAPIGroup(), "version": a.GetAPIVersion(), "resource": a.GetResource(), "subresource": a.GetSubresource(),
			"namespace": a.GetNamespace(), "name": a.GetName(),
		} {
			of = of.With(key, document.NewString(value))
		}
	} else {
		of = of.With("path", document.NewString(a.GetPath()))
	}
	status, err := r.Review(ctx, u, document.NewObject().With(attributes, of))
	if err != nil {
		return authorizer.DecisionNoOpinion, "", err
	}
	decision := authorizer.DecisionNoOpinion
	if allowed, _ := status.Get("allowed").Bool(); allowed {
		decision = authorizer.DecisionAllow
	}
	return decision, status.Get("reason").StringOr(""), nil
}
