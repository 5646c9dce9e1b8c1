package cluster

import (
	"context"
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/store"
)

// protectedNamespaces are the namespaces that NamespaceLifecycle protects from deletion
// (apiserver/pkg/admission/plugin/namespace/lifecycle).
var protectedNamespaces = []string{"default", "kube-system", "kube-public"}

// checkNamespace refuses to create an object in a namespace that does not exist or is being
// deleted, as the admission plugin NamespaceLifecycle does, if Config.StrictNamespaces is set.
func (c *Cluster) checkNamespace(ctx context.Context, t *task, name string) *Status {
	namespace := t.Request.Namespace
	if !c.config.StrictNamespaces || namespace == "" || t.Resource == "localsubjectaccessreviews" {
		return nil
	}
	item, err := c.store.Get(ctx, "/registry/namespaces/"+namespace, store.GetOptions{})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return notFound(groupResource{resource: "namespaces"}, namespace)
	case err != nil:
		return internalError(err)
	case !hasMeta(item.Value.tree().Value, "deletionTimestamp"):
		return nil
	}
	st := refused(t.ep.what(), name, "unable to create new content in namespace "+namespace+" because it is being terminated")
	st.Details.Causes = []Cause{{Type: "NamespaceTerminating", Field: "metadata.namespace", Message: "namespace " + namespace + " is being terminated"}}
	return st
}

// storedNamespace returns a namespace from the store, absent if it does not exist.
func (c *Cluster) storedNamespace(name string) document.Value {
	item, err := c.store.Get(context.Background(), "/registry/namespaces/"+name, store.GetOptions{})
	if err != nil {
		return document.Value{}
	}
	return item.Value.tree().Value
}

// checkProtected refuses to delete a protected namespace, and an object that its kind protects
// from deletions by name.
func (d *deletion) checkProtected(name string) *Status {
	if s := d.ep.strategy; d.named() && s.Undeletable != nil {
		if why := s.Undeletable(name); why != "" {
			return refused(d.ep.what(), name, why)
		}
	}
	if !d.config.StrictNamespaces || !d.isEmptied() || !slices.Contains(protectedNamespaces, name) {
		return nil
	}
	return refused(d.ep.what(), name, "this namespace may not be deleted")
}

func refused(what groupResource, name, why string) *Status {
	return &Status{
		Code: 403, Reason: ReasonForbidden, Message: what.String() + ` "` + name + `" is forbidden: ` + why,
		Details: &StatusDetails{Group: what.group, Kind: what.resource, Name: name},
	}
}
