package kinds

import (
	"slices"
	"sync"

	"github.com/patchlab-dev/patchlab/schema"
)

// formerVersions contains, for the built-in kinds, the versions that are no longer served but
// that kube-apiserver still decodes, so that the result of a patch may have them. It lists only
// those whose objects have the same fields as the version that is served. The others are
// refused, because their fields are not known here: extensions/v1beta1 of Ingress and
// NetworkPolicy, networking.k8s.io/v1beta1 of Ingress, discovery.k8s.io/v1beta1 of
// EndpointSlice, the versions of events.k8s.io of Event, rbac.authorization.k8s.io/v1alpha1 of the
// bindings, flowcontrol.apiserver.k8s.io/v1beta1 and v1beta2 of PriorityLevelConfiguration,
// node.k8s.io/v1alpha1 of RuntimeClass, apiextensions.k8s.io/v1beta1, and the versions of
// ControllerRevision, of which kube-apiserver refuses the data as changed.
//
// The default functions of a former version are not applied: a field with a default that the
// patch removes gets the default of the version that is served.
var formerVersions = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"admissionregistration.k8s.io/MutatingAdmissionPolicy":          {"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"},
		"admissionregistration.k8s.io/MutatingAdmissionPolicyBinding":   {"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"},
		"admissionregistration.k8s.io/MutatingWebhookConfiguration":     {"admissionregistration.k8s.io/v1beta1"},
		"admissionregistration.k8s.io/ValidatingAdmissionPolicy":        {"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"},
		"admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": {"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"},
		"admissionregistration.k8s.io/ValidatingWebhookConfiguration":   {"admissionregistration.k8s.io/v1beta1"},
		"apiregistration.k8s.io/APIService":                             {"apiregistration.k8s.io/v1beta1"},
		"apps/DaemonSet":                                                {"apps/v1beta2", "extensions/v1beta1"},
		"apps/Deployment":                                               {"apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"},
		"apps/ReplicaSet":                                               {"apps/v1beta2", "extensions/v1beta1"},
		"apps/StatefulSet":                                              {"apps/v1beta1", "apps/v1beta2"},
		"batch/CronJob":                                                 {"batch/v1beta1"},
		"coordination.k8s.io/Lease":                                     {"coordination.k8s.io/v1beta1"},
		"flowcontrol.apiserver.k8s.io/FlowSchema":                       {"flowcontrol.apiserver.k8s.io/v1beta1", "flowcontrol.apiserver.k8s.io/v1beta2", "flowcontrol.apiserver.k8s.io/v1beta3"},
		"flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration":       {"flowcontrol.apiserver.k8s.io/v1beta3"},
		"networking.k8s.io/IPAddress":                                   {"networking.k8s.io/v1beta1"},
		"networking.k8s.io/IngressClass":                                {"networking.k8s.io/v1beta1"},
		"networking.k8s.io/ServiceCIDR":                                 {"networking.k8s.io/v1beta1"},
		"node.k8s.io/RuntimeClass":                                      {"node.k8s.io/v1beta1"},
		"policy/PodDisruptionBudget":                                    {"policy/v1beta1"},
		"rbac.authorization.k8s.io/ClusterRole":                         {"rbac.authorization.k8s.io/v1alpha1", "rbac.authorization.k8s.io/v1beta1"},
		"rbac.authorization.k8s.io/ClusterRoleBinding":                  {"rbac.authorization.k8s.io/v1beta1"},
		"rbac.authorization.k8s.io/Role":                                {"rbac.authorization.k8s.io/v1alpha1", "rbac.authorization.k8s.io/v1beta1"},
		"rbac.authorization.k8s.io/RoleBinding":                         {"rbac.authorization.k8s.io/v1beta1"},
		"scheduling.k8s.io/PriorityClass":                               {"scheduling.k8s.io/v1beta1"},
		"storage.k8s.io/CSIDriver":                                      {"storage.k8s.io/v1beta1"},
		"storage.k8s.io/CSINode":                                        {"storage.k8s.io/v1beta1"},
		"storage.k8s.io/CSIStorageCapacity":                             {"storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"},
		"storage.k8s.io/StorageClass":                                   {"storage.k8s.io/v1beta1"},
		"storage.k8s.io/VolumeAttachment":                               {"storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"},
		"storage.k8s.io/VolumeAttributesClass":                          {"storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"},
	}
})

// FormerVersion reports whether the result of a patch of a built-in kind may have an apiVersion
// that is not served.
func FormerVersion(k *schema.Kind, apiVersion string) bool {
	return slices.Contains(formerVersions()[k.Group+"/"+k.Kind], apiVersion)
}
