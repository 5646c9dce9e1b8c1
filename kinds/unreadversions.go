//go:build !js

package kinds

import (
	"slices"
	"strings"
)

// unreadVersions contains further kinds that kube-apiserver decodes, each with versions that are not served by default
// and cannot be converted here.
var unreadVersions = [...]string{
	"CertificateSigningRequest certificates.k8s.io/v1beta1",
	"ClusterRoleBinding rbac.authorization.k8s.io/v1alpha1",
	"ClusterTrustBundle certificates.k8s.io/v1alpha1 certificates.k8s.io/v1beta1",
	"ControllerRevision apps/v1beta1 apps/v1beta2",
	"CustomResourceDefinition apiextensions.k8s.io/v1beta1",
	"DeviceClass resource.k8s.io/v1beta1 resource.k8s.io/v1beta2",
	"DeviceTaintRule resource.k8s.io/v1alpha3 resource.k8s.io/v1beta2",
	"EndpointSlice discovery.k8s.io/v1beta1",
	"Event events.k8s.io/v1beta1",
	"Eviction policy/v1beta1",
	"Ingress extensions/v1beta1 networking.k8s.io/v1beta1",
	"LeaseCandidate coordination.k8s.io/v1alpha2 coordination.k8s.io/v1beta1",
	"LocalSubjectAccessReview authorization.k8s.io/v1beta1",
	"NetworkPolicy extensions/v1beta1",
	"PodCertificateRequest certificates.k8s.io/v1beta1",
	"PriorityLevelConfiguration flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.apiserver.k8s.io/v1beta2",
	"ResourceClaim resource.k8s.io/v1beta1 resource.k8s.io/v1beta2",
	"ResourceClaimTemplate resource.k8s.io/v1beta1 resource.k8s.io/v1beta2",
	"ResourceSlice resource.k8s.io/v1beta1 resource.k8s.io/v1beta2",
	"RoleBinding rbac.authorization.k8s.io/v1alpha1",
	"RuntimeClass node.k8s.io/v1alpha1",
	"Scale apps/v1beta1 apps/v1beta2 extensions/v1beta1",
	"SelfSubjectAccessReview authorization.k8s.io/v1beta1",
	"SelfSubjectReview authentication.k8s.io/v1alpha1 authentication.k8s.io/v1beta1",
	"SelfSubjectRulesReview authorization.k8s.io/v1beta1",
	"StorageVersion internal.apiserver.k8s.io/v1alpha1",
	"StorageVersionMigration storagemigration.k8s.io/v1beta1",
	"SubjectAccessReview authorization.k8s.io/v1beta1",
	"TokenReview authentication.k8s.io/v1beta1",
}

// isUnread reports whether unreadVersions has a version of a kind.
func isUnread(kind, apiVersion string) bool {
	for _, unread := range unreadVersions {
		if name, versions, _ := strings.Cut(unread, " "); name == kind {
			return slices.Contains(strings.Fields(versions), apiVersion)
		}
	}
	return false
}
