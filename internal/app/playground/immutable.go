package playground

import (
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// immutable lists the immutable fields by resource, each including all fields below. The
// page's engine lacks the validation of built-in kinds; a test compares the list with it.
var immutable = map[string]string{
	"deployments.apps": "spec.selector", "daemonsets.apps": "spec.selector", "replicasets.apps": "spec.selector",
	"statefulsets.apps":                      "spec.selector spec.serviceName spec.podManagementPolicy",
	"jobs.batch":                             "spec.selector spec.completionMode",
	"rolebindings.rbac.authorization.k8s.io": "roleRef", "clusterrolebindings.rbac.authorization.k8s.io": "roleRef",
	"storageclasses.storage.k8s.io":                  "provisioner parameters reclaimPolicy volumeBindingMode",
	"priorityclasses.scheduling.k8s.io":              "value preemptionPolicy",
	"ingressclasses.networking.k8s.io":               "spec.controller",
	"secrets":                                        "type",
	"persistentvolumeclaims":                         "spec.accessModes spec.storageClassName spec.volumeMode",
	"customresourcedefinitions.apiextensions.k8s.io": "spec.group spec.scope",
}

// isFixed reports whether the field at a path is immutable.
func isFixed(k *schema.Kind, object document.Value, p document.Path) bool {
	if k == nil || len(p) == 0 {
		return false
	}
	name := k.Resource
	if k.Group != "" {
		name += "." + k.Group
	}
	for field := range strings.FieldsSeq(immutable[name]) {
		if keys := document.Keys(strings.Split(field, ".")...); len(p) >= len(keys) && same(p[:len(keys)], keys) {
			return true
		}
	}
	if k.Group == "" { // only Secrets and ConfigMaps have the field immutable
		frozen, _ := object.Get("immutable").Bool()
		first, _ := p[0].Name()
		return frozen && (first == "data" || first == "binaryData" || first == "immutable")
	}
	return false
}
