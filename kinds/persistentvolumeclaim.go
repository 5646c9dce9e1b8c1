package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/schema"
)

// persistentVolumeClaimStrategy is the strategy of v1 PersistentVolumeClaim.
var persistentVolumeClaimStrategy = Strategy{
	Resource:      "persistentvolumeclaims",
	Name:          subdomainName,
	validatedOnce: "1.35",
	metadataAgain: changeFirst,
	ReturnDeleted: true,
	Reset:         []string{"status"},
	ResetStatus:   []string{"spec"},
}

func validatePersistentVolumeClaim(c *check, object, old field) {
	was := old.get("spec")
	validateClaimSpec(c, object.get("spec"), was.get("dataSource.apiGroup").isSet() || was.get("dataSourceRef.apiGroup").isSet())
	if old.isSet() {
		validateClaimUpdate(c, object, old)
	}
}

// validateClaimSpec validates the spec of a claim, of an ephemeral volume or of a StatefulSet's claim
// template. anyGroup skips the
// syntax of the API groups of data sources, for claims that are stored with an invalid one.
func validateClaimSpec(c *check, spec field, anyGroup bool) {
	class, attributes, mode := spec.get("storageClassName"), spec.get("volumeAttributesClassName"), spec.get("volumeMode")
	modes := spec.get("accessModes")
	if modes.items() == 0 {
		c.required(modes, "at least 1 access mode is required")
	}
	c.labelSelector(spec.get("selector"))
	validateAccessModes(c, modes)
	if storage := spec.getAs("resources", "resources[storage]").getAs("requests.storage", ""); storage.isSet() {
		c.positive(storage, aboveZero)
	} else {
		c.required(storage, "")
	}
	c.syntaxIfSet(class, names.DNSSubdomain)
	c.oneOfIfSet(mode, "Block,Filesystem")
	source, ref := spec.get("dataSource"), spec.get("dataSourceRef")
	validateDataSource(c, source, anyGroup)
	validateDataSource(c, ref, anyGroup)
	if source.isSet() && ref.isSet() {
		switch namespace := ref.get("namespace"); {
		case !namespace.isEmpty():
			c.invalid(spec, "may not be specified when dataSourceRef.namespace is specified")
		case !document.Equal(source.Value, ref.Value.Without("namespace")):
			c.invalid(spec, "must match dataSourceRef")
		}
	}
	if c.kind.Since("1.34") {
		c.syntaxIfSet(attributes, names.DNSSubdomain)
	}
}

// validateDataSource requires a name and a kind. In the core group only PersistentVolumeClaim
// is valid.
func validateDataSource(c *check, source field, anyGroup bool) {
	if !source.isSet() {
		return
	}
	group, kind := source.get("apiGroup"), source.get("kind")
	c.need(source.get("name"))
	c.need(kind)
	if group.isEmpty() && kind.text() != "PersistentVolumeClaim" {
		c.invalidText(source, kind.text(), "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
	}
	if !anyGroup {
		c.syntaxIfSet(group, names.DNSSubdomain)
	}
	c.syntaxIfSet(source.get("namespace"), names.DNSLabel)
}

// validateClaimUpdate requires that the spec of a claim does not change, except that
// volumeName and storageClassName may be set, and that a bound claim may request more storage
// and another VolumeAttributesClass.
func validateClaimUpdate(c *check, object, old field) {
	spec, was := object.get("spec"), old.get("spec")
	next, stored := spec, was
	if name := was.get("volumeName"); name.isEmpty() {
		next.Value, stored.Value = next.Value.Without("volumeName"), stored.Value.Without("volumeName")
	}
	if c.storageClassSet(object, old) {
		next.Value = next.Value.Without("storageClassName")
	}
	if phase := object.get("status.phase"); phase.text() == "Bound" {
		if next.Value.Lookup("resources", "requests").Exists() {
			next.Value = next.Value.Set(stored.Value.Lookup("resources", "requests", "storage"), "resources", "requests", "storage")
		}
		next.Value, stored.Value = next.Value.Without("volumeAttributesClassName"), stored.Value.Without("volumeAttributesClassName")
	}
	if !c.same(next, stored) {
		c.forbidden(spec, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims")
		c.nameChanges(spec, next.Value, stored.Value)
	}
	size := spec.get("resources.requests.storage")
	newSize := amountOf(size.Value)
	if newSize.Cmp(amountOf(was.Value.Lookup("resources", "requests", "storage"))) < 0 &&
		(newSize.Cmp(amountOf(old.Value.Lookup("status", "capacity", "storage"))) <= 0 || !c.kind.Since("1.32")) {
		c.forbidden(size, "field can not be less than status.capacity")
	}
	if !c.same(spec.get("volumeMode"), was.get("volumeMode")) {
		c.invalidChange(object.getAs("spec.volumeMode", "volumeMode"), isImmutable)
	}
	class := spec.get("volumeAttributesClassName")
	if old.get("status.currentVolumeAttributesClassName").isSet() && class.isEmpty() && !c.same(class, was.get("volumeAttributesClassName")) {
		why := "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil"
		if class.isSet() {
			why = "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil"
		}
		c.forbidden(class, why)
	}
}

// storageClassSet reports whether a claim without a storageClassName gets one, which must be
// that of its annotation if it has that. The annotation may be removed only with this change.
func (c *check) storageClassSet(object, old field) bool {
	class, annotation := object.get("spec.storageClassName"), object.get("metadata.annotations").fieldKey(names.BetaStorageClass)
	was := old.get("metadata.annotations").key(names.BetaStorageClass)
	isSet := class.isSet() && !old.get("spec.storageClassName").isSet() && (!was.Exists() || class.text() == was.text())
	if removed := isSet && !annotation.Exists(); annotation.text() != was.text() && !removed {
		c.invalidChange(annotation, isImmutable)
	}
	return isSet
}

func validatePersistentVolumeClaimStatus(c *check, object, _ field) {
	const resizing = "ControllerResizeInProgress,ControllerResizeInfeasible,NodeResizeInProgress,NodeResizeInfeasible,NodeResizePending"
	status := object.get("status")
	capacity, statuses, allocated := status.get("capacity"), status.get("allocatedResourceStatuses"), status.get("allocatedResources")
	for i := range capacity.members() {
		amount, _ := capacity.memberAt(i)
		c.basicAmount(amount)
	}
	if !c.kind.Since("1.34") {
		statuses = status.getAs("allocatedResourceStatuses", "allocatedResourceStatus")
	}
	for i := range statuses.members() {
		state, resource := statuses.memberAt(i)
		c.claimResource(statuses, resource)
		if !among(state.text(), resizing) {
			c.addValue(schema.ErrorNotSupported, statuses, resource, supportedValues(resizing))
		}
	}
	for i := range allocated.members() {
		amount, resource := allocated.memberAt(i)
		if c.claimResource(allocated, resource) && c.basicAmount(amount) {
			c.notNegative(amount)
		}
	}
}

// claimResource requires a resource that a claim can request: storage, or a name with a
// domain. Errors are reported for the whole list.
func (c *check) claimResource(list field, resource string) bool {
	if why := names.QualifiedName(resource); why != "" {
		c.unmetText(list, resource, why)
		return false
	}
	if podresources.IsNative(resource) && resource != "storage" {
		c.addValue(schema.ErrorNotSupported, list, resource, supportedValues("storage"))
		return false
	}
	return true
}

func warnPersistentVolumeClaim(a *advice, object, _ field) {
	if class := object.get("metadata.annotations").key(names.BetaStorageClass); class.Exists() {
		a.warn(class, `deprecated since v1.8; use "storageClassName" attribute instead`)
	}
	a.claim(object.get("spec"))
}
