package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// protectedNamespaces are the namespaces that NamespaceLifecycle protects from deletion
// (apiserver/pkg/admission/plugin/namespace/lifecycle).
var protectedNamespaces = []string{"default", "kube-system", "kube-public"}

// checkNamespace refuses a write in a namespace that does not exist, and the creation of an
// object in a namespace that is being deleted, if Config.StrictNamespaces is set and the object is
// not restored. This is the admission plugin NamespaceLifecycle, which runs before all other mutating
// admission. For the plugin, an eviction, a binding and a token request are creations as well.
func (t *task) checkNamespace(live fieldmanager.Object) *Status {
	name := t.Request.Namespace
	if !t.config.StrictNamespaces || t.Request.Restore || t.readNamespace == nil || name == "" || t.Resource == "localsubjectaccessreviews" {
		return nil
	}
	if why := names.PathSegment(name); why != "" {
		return internalError(fmt.Errorf("invalid resource name %q: [%s]", name, why))
	}
	namespace, err := t.readNamespace(t.ctx, name)
	switch {
	case err != nil:
		return internalError(err)
	case !namespace.Exists():
		return notFound(groupResource{resource: "namespaces"}, name)
	case live.Value.Exists() || !hasMeta(namespace, "deletionTimestamp"):
		return nil
	}
	return terminating(t.ep.what(), admittedName(t.Name, t.body), name)
}

// NamespaceTerminating returns the refusal to create an object in a namespace that is being deleted
// (403). A [Pipeline], which has no namespaces, does not refuse it.
func NamespaceTerminating(kind *schema.Kind, object document.Value, namespace string) *Status {
	return terminating(groupResource{group: kind.Group, resource: kind.Resource}, admittedName("", object), namespace)
}

func terminating(what groupResource, name, namespace string) *Status {
	st := refused(what, name, "unable to create new content in namespace "+namespace+" because it is being terminated")
	st.Details.Causes = []Cause{{Type: "NamespaceTerminating", Field: "metadata.namespace", Message: "namespace " + namespace + " is being terminated"}}
	return st
}

// admittedName returns the name with which admission refuses an object, given that of the request:
// a generated name is not known yet.
func admittedName(name string, object document.Value) string {
	return cmp.Or(name, meta(object, "name"), meta(object, "generateName"), "Unknown")
}

// storedNamespace returns a namespace from the store, absent if it does not exist.
func (c *Cluster) storedNamespace(ctx context.Context, name string) (document.Value, error) {
	item, err := c.store.Get(ctx, "/registry/namespaces/"+name, store.GetOptions{})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return document.Value{}, nil
	case err != nil:
		return document.Value{}, err
	}
	return item.Value.tree().Value, nil
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
