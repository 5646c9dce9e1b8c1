package plugins

import (
	"cmp"
	"slices"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// setStorageClass sets the default storage class of a new claim that asks for none.
func setStorageClass(c *call) *cluster.Status {
	if !c.creates("", "persistentvolumeclaims") || c.Object.Lookup("spec", "storageClassName").Exists() || annotation(c.Object, names.BetaStorageClass).Exists() {
		return nil
	}
	return c.setDefaultClass("storage.k8s.io", "storageclasses", "storageClassName",
		"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
}

// setIngressClass sets the default ingress class of a new Ingress that asks for none.
func setIngressClass(c *call) *cluster.Status {
	if !c.creates("networking.k8s.io", "ingresses") || c.Object.Lookup("spec", "ingressClassName").Exists() || annotation(c.Object, "kubernetes.io/ingress.class").Exists() {
		return nil
	}
	return c.setDefaultClass("networking.k8s.io", "ingressclasses", "ingressClassName", "ingressclass.kubernetes.io/is-default-class")
}

// setDefaultClass sets a field of the spec to the name of the default class: the newest of those
// that one of the annotations marks as the default.
func (c *call) setDefaultClass(group, resource, field string, annotations ...string) *cluster.Status {
	classes, st := c.list(group, resource, "")
	if st != nil {
		return st
	}
	classes = slices.DeleteFunc(classes, func(class document.Value) bool {
		return !slices.ContainsFunc(annotations, func(a string) bool { return annotation(class, a).StringOr("") == "true" })
	})
	if len(classes) == 0 {
		return nil
	}
	text := func(class document.Value, key string) string { return class.Lookup("metadata", key).StringOr("") }
	newest := slices.MinFunc(classes, func(a, b document.Value) int {
		return cmp.Or(cmp.Compare(text(b, "creationTimestamp"), text(a, "creationTimestamp")), cmp.Compare(text(a, "name"), text(b, "name")))
	})
	c.set(newest.Lookup("metadata", "name"), "spec", field)
	return nil
}

func annotation(object document.Value, key string) document.Value {
	return object.Lookup("metadata", "annotations", key)
}
