package kinds

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/schema"
)

// formerVersions contains, for the built-in kinds, the versions that are no longer served but
// that kube-apiserver still decodes, so that the result of a patch may have them. It lists only
// those whose objects have the same fields as the version that is served. The others (unreadVersions)
// are refused, because their fields are not known here, or because kube-apiserver refuses the data of a
// ControllerRevision as changed.
//
// The default functions of a former version are not applied: a field with a default that the
// patch removes gets the default of the version that is served.
var formerVersions = [...]struct {
	kind     string // group/kind
	versions []string
}{
	{"admissionregistration.k8s.io/MutatingAdmissionPolicy", []string{"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"}},
	{"admissionregistration.k8s.io/MutatingAdmissionPolicyBinding", []string{"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"}},
	{"admissionregistration.k8s.io/MutatingWebhookConfiguration", []string{"admissionregistration.k8s.io/v1beta1"}},
	{"admissionregistration.k8s.io/ValidatingAdmissionPolicy", []string{"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"}},
	{"admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding", []string{"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"}},
	{"admissionregistration.k8s.io/ValidatingWebhookConfiguration", []string{"admissionregistration.k8s.io/v1beta1"}},
	{"apiregistration.k8s.io/APIService", []string{"apiregistration.k8s.io/v1beta1"}},
	{"apps/DaemonSet", []string{"apps/v1beta2", "extensions/v1beta1"}},
	{"apps/Deployment", []string{"apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"}},
	{"apps/ReplicaSet", []string{"apps/v1beta2", "extensions/v1beta1"}},
	{"apps/StatefulSet", []string{"apps/v1beta1", "apps/v1beta2"}},
	{"batch/CronJob", []string{"batch/v1beta1"}},
	{"coordination.k8s.io/Lease", []string{"coordination.k8s.io/v1beta1"}},
	{"flowcontrol.apiserver.k8s.io/FlowSchema", []string{"flowcontrol.apiserver.k8s.io/v1beta1", "flowcontrol.apiserver.k8s.io/v1beta2", "flowcontrol.apiserver.k8s.io/v1beta3"}},
	{"flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration", []string{"flowcontrol.apiserver.k8s.io/v1beta3"}},
	{"networking.k8s.io/IPAddress", []string{"networking.k8s.io/v1beta1"}},
	{"networking.k8s.io/IngressClass", []string{"networking.k8s.io/v1beta1"}},
	{"networking.k8s.io/ServiceCIDR", []string{"networking.k8s.io/v1beta1"}},
	{"node.k8s.io/RuntimeClass", []string{"node.k8s.io/v1beta1"}},
	{"policy/PodDisruptionBudget", []string{"policy/v1beta1"}},
	{"rbac.authorization.k8s.io/ClusterRole", []string{"rbac.authorization.k8s.io/v1alpha1", "rbac.authorization.k8s.io/v1beta1"}},
	{"rbac.authorization.k8s.io/ClusterRoleBinding", []string{"rbac.authorization.k8s.io/v1beta1"}},
	{"rbac.authorization.k8s.io/Role", []string{"rbac.authorization.k8s.io/v1alpha1", "rbac.authorization.k8s.io/v1beta1"}},
	{"rbac.authorization.k8s.io/RoleBinding", []string{"rbac.authorization.k8s.io/v1beta1"}},
	{"scheduling.k8s.io/PriorityClass", []string{"scheduling.k8s.io/v1beta1"}},
	{"storage.k8s.io/CSIDriver", []string{"storage.k8s.io/v1beta1"}},
	{"storage.k8s.io/CSINode", []string{"storage.k8s.io/v1beta1"}},
	{"storage.k8s.io/CSIStorageCapacity", []string{"storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"}},
	{"storage.k8s.io/StorageClass", []string{"storage.k8s.io/v1beta1"}},
	{"storage.k8s.io/VolumeAttachment", []string{"storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"}},
	{"storage.k8s.io/VolumeAttributesClass", []string{"storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"}},
}

// Decodes reports whether kube-apiserver decodes objects of a built-in kind in a version that it does not serve by
// default.
func Decodes(kind, apiVersion string) bool {
	for _, former := range formerVersions {
		if strings.HasSuffix(former.kind, "/"+kind) && slices.Contains(former.versions, apiVersion) {
			return true
		}
	}
	return isUnread(kind, apiVersion)
}

// FormerVersion reports whether the result of a patch of a built-in kind may have an apiVersion
// that is not served.
func FormerVersion(k *schema.Kind, apiVersion string) bool {
	for _, former := range formerVersions {
		if former.kind == k.Group+"/"+k.Kind {
			return slices.Contains(former.versions, apiVersion)
		}
	}
	return false
}
