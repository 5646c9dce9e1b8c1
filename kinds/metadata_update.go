package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// kube-apiserver validates the metadata of an update for every kind (apiserver's
// rest.BeforeUpdate): the metadata itself and the change. The strategy of most kinds does so
// again, once or twice, and the causes of all validations are in the Status. These lists hold
// what a strategy repeats, in order; true is the metadata itself, false the change.
var (
	repeatsNothing = []bool{}
	repeatsChange  = []bool{false}
	repeatsWhole   = []bool{true}
	changeFirst    = []bool{false, true}
	wholeFirst     = []bool{true, false}
	wholeTwice     = []bool{true, true}
)

// repeated returns what the strategy of a kind repeats.
func repeated(k *schema.Kind, subresource string) []bool {
	switch {
	case k.Kind == "Event" && k.Group != "":
		return repeatsChange
	case subresource == "status" && (k.Kind == "CronJob" || k.Kind == "ValidatingAdmissionPolicy"):
		return repeatsNothing
	case subresource == "ephemeralcontainers" || subresource == "resize":
		return changeFirst
	case subresource != "":
		switch k.Kind {
		case "CertificateSigningRequest", "PodDisruptionBudget", "VolumeAttachment": // as the object itself
		default:
			return repeatsChange
		}
	}
	switch k.Kind {
	case "Event", "PodDisruptionBudget":
		return repeatsNothing
	case "CSINode", "EndpointSlice", "FlowSchema", "LimitRange", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
		"MutatingWebhookConfiguration", "PriorityLevelConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
		"ValidatingWebhookConfiguration", "VolumeAttachment":
		return repeatsWhole
	case "APIService", "ConfigMap", "ControllerRevision", "Endpoints", "Ingress", "IngressClass", "PersistentVolumeClaim", "Pod",
		"Secret", "ServiceAccount", "VolumeAttributesClass":
		return changeFirst
	case "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding", "CSIStorageCapacity", "DeviceClass", "IPAddress", "Job",
		"Namespace", "Node", "ResourceClaim", "ResourceClaimTemplate", "Role", "RoleBinding", "RuntimeClass", "StorageClass":
		return wholeFirst
	case "PersistentVolume":
		return wholeTwice
	}
	return repeatsChange
}

// ValidateUpdatedMetadata validates the metadata of an update of an object, through a
// subresource or not, by the rules of a catalog's Kubernetes version (nil is
// schema.DefaultVersion), and returns the errors as often as the validations of kube-apiserver
// find them. managed is the value of managedFields, which the objects do not have; absent if it
// is valid.
func (s *Strategy) ValidateUpdatedMetadata(catalog *schema.Catalog, k *schema.Kind, subresource string, object, old, managed document.Value) []schema.FieldError {
	c := newCheck(nil, "", object)
	c.catalog = catalog
	defer c.release()
	metadata, was := c.root(object).get("metadata"), c.root(old).get("metadata")
	list := field{managed, c, metadata.get("managedFields").at}
	whole := func(rule NameRule, domains bool) {
		c.metadata(metadata, k.Namespaced, rule)
		c.managedFields(list)
		if domains {
			c.finalizerDomains(metadata.get("finalizers"))
		}
	}
	change := func(domains bool) {
		c.metadataChange(metadata, was)
		c.labels(metadata.get("labels"))
		c.annotations(metadata.get("annotations"))
		c.owners(metadata.get("ownerReferences"))
		c.managedFields(list)
		if domains {
			c.finalizerDomains(metadata.get("finalizers"))
		}
	}
	domains := k.Builtin && !s.AnyFinalizer
	if whole(PathSegmentName, domains); len(c.errs) == 0 {
		c.metadataChange(metadata, was)
	}
	if len(c.errs) == 0 && (len(repeated(k, subresource)) == 0 || s.acceptsNames(c, metadata)) {
		return nil
	}
	var out []schema.FieldError
	add := func() {
		out = append(out, c.errs...)
		c.errs = c.errs[:0]
	}
	c.errs = c.errs[:0]
	whole(PathSegmentName, false)
	add()
	change(false)
	add()
	for _, again := range repeated(k, subresource) {
		if again {
			whole(s.Name, domains)
		} else {
			change(domains)
		}
		add()
	}
	return out
}

// acceptsNames reports whether the names in metadata meet the rule of the kind.
func (s *Strategy) acceptsNames(c *check, metadata field) bool {
	mark := len(c.errs)
	for i, name := range [...]string{"name", "generateName"} {
		if f := metadata.get(name); f.text() != "" {
			c.nameRule(f, i == 1, s.Name)
		}
	}
	return !c.failed(mark)
}
