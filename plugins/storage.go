package plugins

import (
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/quota"
	"github.com/patchlab-dev/patchlab/internal/engine/semantic"
)

// protected are the resources whose objects are kept while they are in use, with the finalizer
// that their protection controller removes.
var protected = [...]struct{ group, resource, finalizer string }{
	{"", "persistentvolumes", "kubernetes.io/pv-protection"},
	{"", "persistentvolumeclaims", "kubernetes.io/pvc-protection"},
	{"storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"},
}

// protectStorage adds the finalizer of the protection controller to a new object. patchlab does not
// run that controller, so clients have to remove the finalizer of an object that is deleted.
func protectStorage(c *call) *cluster.Status {
	for _, p := range protected {
		if !c.creates(p.group, p.resource) {
			continue
		}
		finalizers := c.Object.Lookup("metadata", "finalizers")
		for _, f := range finalizers.Items() {
			if f.StringOr("") == p.finalizer {
				return nil
			}
		}
		c.set(appended(finalizers, document.NewString(p.finalizer)), "metadata", "finalizers")
	}
	return nil
}

// checkResize refuses to expand a claim that is not bound, or whose storage class does not allow it.
func checkResize(c *call) *cluster.Status {
	if !c.updates("", "persistentvolumeclaims") {
		return nil
	}
	size := func(claim document.Value) document.Value {
		return claim.Lookup("spec", "resources", "requests", "storage")
	}
	if semantic.Amount(size(c.Object)).Cmp(semantic.Amount(size(c.Old))) <= 0 {
		return nil
	}
	if c.Old.Lookup("status", "phase").StringOr("") != "Bound" {
		return c.Forbid("Only bound persistent volume claims can be expanded")
	}
	if name := quota.StorageClass(c.Object); name != "" && name == quota.StorageClass(c.Old) {
		class, st := c.get("storage.k8s.io", "storageclasses", "", name)
		if st != nil {
			return st
		}
		if allows, _ := class.Get("allowVolumeExpansion").Bool(); allows {
			return nil
		}
	}
	return c.Forbid("only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize")
}
